import { describe, expect, it } from "vitest";
import type { Story } from "../../testing/story.ts";
import { after, inTurn, known, seen, soFar, stream, whole } from "../../testing/view/fold-script.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createRunFold, viewOf } from "./fold.ts";

const state = (story: Story) => seen(story).state;
const stateOf = (...events: Parameters<typeof stream>) => viewOf(stream(...events)).state;
const ask = (interactionId: string, toolCallId?: string) =>
  ({ interactionId, action: "run", detail: "ls", riskLevel: "low", ...(toolCallId && { toolCallId }) }) as const;
const edit = { id: "c1", name: "Edit", kind: "edit", input: { path: "a" } } as const;

/** The sequence of states of a run, one entry per change. */
function path(envelopes: readonly Envelope[]): string[] {
  const run = createRunFold();
  const states = envelopes.map((envelope) => {
    run.fold(envelope);
    return run.snapshot().state;
  });
  return states.filter((name, index) => name !== states[index - 1]);
}

describe("a run that begins", () => {
  it("is idle until a worker starts it", () => {
    expect(stateOf()).toBe("idle");
    expect(stateOf(["run.created"])).toBe("idle");
    expect(stateOf(["run.created"], ["run.queued"])).toBe("idle");
    expect(stateOf(["run.created"], ["run.queued"], ["session.started"], ["user.message"])).toBe("idle");
  });

  it("is working from run.started on", () => {
    expect(stateOf(["run.created"], ["run.started"])).toBe("working");
  });

  it("is working after a turn, model output or a tool, even without run.started", () => {
    for (const type of ["turn.started", "assistant.text_delta", "tool.started", "tool.shell.output_chunk"]) {
      expect(stateOf([type]), type).toBe("working");
    }
  });

  it("is blocked while its start waits for approval, and idle after the approval", () => {
    const waiting = [["run.created"], ["run.awaiting_approval"], ["approval.requested", { approval_id: "a" }]] as const;
    const approved = ["approval.resolved", { approval_id: "a", decision: "approved" }] as const;
    expect(stateOf(...waiting)).toBe("blocked");
    expect(stateOf(...waiting, approved)).toBe("idle");
    expect(stateOf(...waiting, approved, ["run.queued"], ["run.started"])).toBe("working");
  });
});

describe("a turn that ends", () => {
  it("with an answer leaves the run done, waiting for the next prompt", () => {
    const answered = inTurn().message("Done.").endTurn({ stopReason: "end_turn" });
    expect(state(answered)).toBe("done");
    expect(state(answered.turn())).toBe("working");
  });

  it("is still working when it called a tool, even if the call has ended", () => {
    expect(state(inTurn().tool(edit).result("c1", "Edit", "ok").endTurn())).toBe("working");
  });

  it.each(["tool_use", "tool_calls", "tool-calls", "toolUse"])(
    "is still working when it stopped for %s",
    (stopReason) => {
      expect(state(inTurn().message("Let me look.").endTurn({ stopReason }))).toBe("working");
    },
  );

  it("is still working while a call of any turn is open", () => {
    const open = after(soFar(inTurn()), ["tool.invoked", { tool_call_id: "late", turn_index: 0 }]);
    expect(viewOf(after(open, ["turn.completed", { turn_index: 1 }])).state).toBe("working");
  });

  it("is still working when it will be retried", () => {
    const retry = { attempt: 1, maxAttempts: 2, reason: "overloaded", delayMs: 10 };
    expect(state(inTurn().message("Tra").emit("retry", retry).endTurn())).toBe("working");
  });

  it("does not flicker through done on each tool call", () => {
    const story = inTurn().tool(edit).result("c1", "Edit", "ok").endTurn({ stopReason: "tool_use" });
    const states = path(whole(story.turn().message("Done.").endTurn().end()));
    expect(states).toEqual(["idle", "working", "done"]);
  });

  it("leads to error when it failed finally, and not when it is retried", () => {
    const failed = (will_retry: boolean) =>
      inTurn().fact("turn.failed", { turn_index: 1, code: "c", message: "m", will_retry });
    expect(state(failed(true))).toBe("working");
    expect(state(failed(false))).toBe("error");
  });
});

describe("a run that waits for a person", () => {
  it("is blocked by an approval until it is answered", () => {
    const asked = inTurn().tool(edit).emit("approval_request", ask("a", "c1"));
    expect(state(asked)).toBe("blocked");
    expect(state(asked.emit("approval_granted", { interactionId: "a" }))).toBe("working");
  });

  it("stays blocked until the last of several approvals is answered, whatever else happens", () => {
    const story = inTurn()
      .tool(edit)
      .tool({ ...edit, id: "c2" });
    story.emit("approval_request", ask("a", "c1")).emit("approval_request", ask("b", "c2"));
    story.emit("approval_denied", { interactionId: "b" }).message("Meanwhile.");
    expect(state(story)).toBe("blocked");
    expect(state(story.emit("approval_granted", { interactionId: "a" }))).toBe("working");
  });

  it("continues when nobody answered in time", () => {
    const asked = inTurn().emit("approval_request", ask("a"));
    expect(state(asked.fact("approval.timed_out", { approval_id: "a", after_seconds: 9 }))).toBe("working");
  });

  it("is blocked by a question until its answer", () => {
    const asked = inTurn().emit("input_required", { interactionId: "q", question: "Which?", source: "agent" });
    expect(state(asked)).toBe("blocked");
    expect(state(asked.fact("user.message", { turn_index: 1, text: "other", interaction_id: "x" }))).toBe("blocked");
    expect(state(asked.fact("user.message", { turn_index: 1, text: "this", interaction_id: "q" }))).toBe("working");
  });

  it("is blocked by a pause until someone resumes it", () => {
    const paused = inTurn().emit("paused", {});
    expect(state(paused)).toBe("blocked");
    expect(state(paused.message("The rest of the buffer."))).toBe("blocked");
    expect(state(paused.emit("resumed", {}))).toBe("working");
  });

  it("is not blocked by an answer without a request", () => {
    const refused = inTurn().message("Done.").endTurn().emit("approval_denied", { interactionId: "unasked" });
    expect(state(refused)).toBe("done");
  });
});

describe("a run in error", () => {
  const crash = { exitCode: 1, stderr: "" };

  it("is entered by a terminal error", () => {
    expect(state(inTurn().endTurn().emit("crash", crash))).toBe("error");
    expect(state(inTurn().endTurn().emit("auth_error", { message: "401", guidance: "" }))).toBe("error");
    expect(state(inTurn().endTurn().emit("context_exceeded", { usedTokens: 2, maxTokens: 1 }))).toBe("error");
    expect(state(inTurn().endTurn().emit("timeout", { kind: "run" }))).toBe("error");
    expect(state(inTurn().endTurn().emit("turn_limit", { maxTurns: 1 }))).toBe("error");
    expect(state(inTurn().emit("error", { code: "INTERNAL", message: "m", recoverable: false }))).toBe("error");
    expect(stateOf(["run.started"], ["run.failed", { code: "x" }])).toBe("error");
  });

  it("is not entered by a recoverable error", () => {
    expect(state(inTurn().emit("error", { code: "INTERNAL", message: "m", recoverable: true }))).toBe("working");
    expect(state(inTurn().emit("rate_limit_error", { message: "429" }))).toBe("working");
    const upstream = { provider: "p", message: "529", retriable: true };
    expect(state(inTurn().fact("error.upstream", upstream))).toBe("working");
    const plugin = { pluginId: "p", pluginName: "P", error: "no" };
    expect(state(inTurn().emit("plugin_error", plugin))).toBe("working");
  });

  it("stays in error until another turn starts", () => {
    const story = inTurn().emit("crash", crash).message("late").emit("approval_request", ask("a"));
    expect(state(story)).toBe("error");
    expect(viewOf(after(soFar(story), ["run.finished"])).state).toBe("error");
    story.emit("approval_denied", { interactionId: "a" });
    expect(state(story.endTurn().turn())).toBe("working");
  });
});

describe("a run that is over", () => {
  it("is done when it finished or was cancelled", () => {
    expect(viewOf(whole(inTurn().message("Done.").endTurn().end())).state).toBe("done");
    const cancelled = viewOf(whole(inTurn().endTurn({ stopReason: "tool_use" }).emit("interrupted", {}).end()));
    expect(cancelled.state).toBe("done");
    expect(cancelled.status).toBe("cancelled");
  });

  it("does not change on reverts, late answers or unknown events", () => {
    const over = whole(inTurn().tool(edit).emit("approval_request", ask("a", "c1")).end());
    const late = after(
      over,
      known("tool.file.reverted", { artifact_id: "p", path: "a", artifact_status: "reverted", before_existed: true }),
      known("approval.resolved", { approval_id: "a", decision: "cancelled", by: "runtime" }),
      ["external.event", { note: "hi" }],
      ["vendor.mystery"],
    );
    expect(viewOf(late).state).toBe("done");
  });

  it("does not become working when a person applies a patch while it waits for the next prompt", () => {
    const waiting = soFar(inTurn().message("Done.").endTurn());
    const applied = { artifact_id: "p", path: "a", artifact_status: "applied" } as const;
    expect(viewOf(after(waiting, known("tool.file.applied", applied))).state).toBe("done");
  });

  it("is working again, without an end, when another turn starts", () => {
    const view = viewOf(stream(["run.failed", { code: "x" }], ["turn.started", { turn_index: 2 }]));
    expect(view).toMatchObject({ state: "working", status: "running" });
    expect(view).not.toHaveProperty("end");
  });

  it("closes everything that a broken stream left open", () => {
    const view = viewOf(
      stream(
        ["turn.started", { turn_index: 1 }],
        ["assistant.text_delta", { turn_index: 1, delta: "Hal" }],
        ["tool.shell.command", { tool_call_id: "c", command_string: "sleep" }],
        ["approval.requested", { approval_id: "a" }],
        ["input.requested", { interaction_id: "q" }],
        ["subagent.started", { subagent_id: "s" }],
        ["run.cancelled", { reason: "operator", by: "me" }],
      ),
    );
    expect(view.messages[0]).toMatchObject({ text: "Hal", complete: true });
    expect(view.tools[0]?.state).toBe("cancelled");
    expect(view.shells[0]?.running).toBe(false);
    expect(view.approvals[0]?.status).toBe("cancelled");
    expect(view.questions[0]?.status).toBe("cancelled");
    expect(view.subagents[0]?.status).toBe("cancelled");
    expect(view.turns[0]?.status).toBe("cancelled");
    expect(view.end).toMatchObject({ status: "cancelled", message: "operator", by: "me" });
  });
});
