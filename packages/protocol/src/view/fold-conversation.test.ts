import { describe, expect, it } from "vitest";
import { Story } from "../../testing/story.ts";
import { after, inTurn, known, seen, soFar, stream, whole } from "../../testing/view/fold-script.ts";
import { viewOf } from "./fold.ts";

describe("prompts", () => {
  it("are kept with their origin and attachments", () => {
    const story = new Story("Draw this.").fact("user.attachment", {
      turn_index: 0,
      kind: "image",
      mime: "image/png",
      name: "a.png",
      artifact_id: "art_1",
    });
    const view = seen(story.begin().turn().emit("image_input_ack", { mimeType: "image/png" }));
    expect(view.prompts).toEqual([{ text: "Draw this.", turn: 0, via: "prompt", at: expect.any(String) }]);
    expect(view.attachments).toMatchObject([{ kind: "image", name: "a.png", artifactId: "art_1", acknowledged: true }]);
  });

  it("show an image that was not recorded when the agent acknowledges it", () => {
    const view = seen(inTurn().emit("image_input_ack", { mimeType: "image/gif" }));
    expect(view.attachments).toMatchObject([{ kind: "image", mime: "image/gif", acknowledged: true, turn: 1 }]);
  });
});

describe("messages", () => {
  it("stream, then are complete", () => {
    const story = inTurn().emit("message_start", {});
    story.emit("text_delta", { delta: "Hel", accumulated: "Hel" }).emit("text_delta", { delta: "lo", accumulated: "" });
    expect(seen(story).messages).toMatchObject([{ text: "Hello", complete: false, turn: 1, block: 0 }]);
    expect(seen(story.emit("message_stop", { text: "Hello" })).messages).toMatchObject([
      { text: "Hello", complete: true },
    ]);
  });

  it("of one turn are distinguished by their block", () => {
    const view = seen(inTurn().message("One.").message("Two."));
    expect(view.messages.map(({ text, block }) => [text, block])).toEqual([
      ["One.", 0],
      ["Two.", 1],
    ]);
  });

  it("show the whole text when only its end was stored", () => {
    const view = viewOf(stream(["assistant.text_complete", { turn_index: 1, block_index: 0, text: "All of it." }]));
    expect(view.messages).toMatchObject([{ text: "All of it.", complete: true }]);
  });

  it("are marked as final, not shown twice", () => {
    const view = seen(inTurn().message("Let me see.").message("It is 4.").endTurn());
    expect(view.messages.map(({ text, final }) => [text, final])).toEqual([
      ["Let me see.", undefined],
      ["It is 4.", true],
    ]);
  });

  it("contain the final answer when a writer stores no other text", () => {
    const view = viewOf(
      stream(["turn.started", { turn_index: 1 }], ["assistant.final_answer", { turn_index: 1, summary: "4" }]),
    );
    expect(view.messages).toMatchObject([{ text: "4", complete: true, final: true }]);
  });

  it("stop streaming when their turn ends without completing them", () => {
    const open = soFar(inTurn().emit("message_start", {}));
    expect(viewOf(after(open, ["turn.completed", { turn_index: 1 }])).messages[0]?.complete).toBe(true);
  });
});

describe("thoughts", () => {
  it("are kept and hidden by default", () => {
    const started = seen(inTurn().emit("thinking_start", { effort: "high" }));
    expect(started.thoughts).toMatchObject([{ text: "", complete: false, hidden: true, effort: "high" }]);
    const stopped = seen(inTurn().thinking("If ", "so."));
    expect(stopped.thoughts).toMatchObject([{ text: "If so.", complete: true, hidden: true }]);
    expect(stopped.messages).toEqual([]);
  });
});

describe("turns", () => {
  it("show model, stop reason, cost, tokens, duration and calls", () => {
    const story = new Story("Go.").begin().turn({ model: "m-1", provider: "p" });
    story.tool({ id: "c1", name: "Read", kind: "file_read", input: {} }).result("c1", "Read", "");
    story.emit("token_usage", { inputTokens: 9, outputTokens: 2, cachedTokens: 5 }).wait(100);
    const cost = { totalUsd: 0.5, inputTokens: 10, outputTokens: 3, source: "billed" } as const;
    const view = seen(story.endTurn({ stopReason: "tool_use", cost }));
    expect(view.turns).toMatchObject([
      {
        number: 1,
        status: "completed",
        model: "m-1",
        provider: "p",
        stopReason: "tool_use",
        usage: { usd: 0.5, micros: 500_000, inputTokens: 10, outputTokens: 3, cachedInputTokens: 5, source: "billed" },
        durationMs: expect.any(Number),
        toolCallIds: ["c1"],
      },
    ]);
    expect(view.turn).toBe(1);
    expect(view.model).toBe("m-1");
  });

  it("show their current phase", () => {
    const story = inTurn().step("thinking");
    expect(seen(story).turns[0]?.step).toBe("thinking");
    expect(seen(story.endStep()).turns[0]).not.toHaveProperty("step");
  });

  it("that failed stay visible beside their retry", () => {
    const view = viewOf(
      stream(
        ["turn.started", { turn_index: 1 }],
        ["turn.failed", { turn_index: 1, code: "overloaded", message: "529", will_retry: true }],
        ["turn.started", { turn_index: 1 }],
        ["turn.completed", { turn_index: 1 }],
      ),
    );
    expect(view.turns.map(({ number, status }) => [number, status])).toEqual([
      [1, "failed"],
      [1, "completed"],
    ]);
    expect(view.turns[0]?.error).toEqual({ code: "overloaded", message: "529", willRetry: true });
    expect(view.errors).toMatchObject([{ type: "turn.failed", code: "overloaded", fatal: false }]);
  });

  it("are read under the names of the source protocol", () => {
    const view = viewOf(
      stream(
        ["model.call.started", { model_call_index: 1, model: "m" }],
        ["model.call.completed", { model_call_index: 1 }],
      ),
    );
    expect(view.turns).toMatchObject([{ number: 1, status: "completed", model: "m" }]);
    expect(view.opaque).toEqual([]);
  });
});

describe("questions", () => {
  const asked = () =>
    inTurn().emit("input_required", { interactionId: "q", question: "Which?", context: "names", source: "agent" });

  it("are pending until their answer", () => {
    expect(seen(asked()).questions).toMatchObject([
      { id: "q", status: "pending", question: "Which?", context: "names" },
    ]);
    const answered = asked().fact("user.message", { turn_index: 1, text: "cart", via: "answer", interaction_id: "q" });
    expect(seen(answered).questions).toMatchObject([{ status: "answered", answer: "cart" }]);
  });

  it("are passed when the agent continues without a recorded answer", () => {
    expect(seen(asked().message("Never mind.")).questions[0]?.status).toBe("passed");
    expect(seen(asked().endTurn().turn()).questions[0]?.status).toBe("passed");
  });

  it("stay open while only an earlier text is completed", () => {
    const story = inTurn().emit("message_start", {});
    story.emit("input_required", { interactionId: "q", question: "Which?", source: "tool" });
    expect(seen(story.emit("message_stop", { text: "" })).questions[0]?.status).toBe("pending");
    expect(seen(story.endTurn()).state).toBe("blocked");
  });
});

it("ids, agent and set-up come from any event that contains them", () => {
  const view = viewOf([
    ...stream(
      known("run.created", {
        agent: "codex",
        kind: "agent",
        model: "gpt-5",
        provider: "openai",
        workspace_path: "/w",
        prior_run_id: null,
      }),
      known("run.resumed_from_event", { from_run_id: "run_0" }),
      // Taken up again after its own last event, it still continues that other run.
      ["run.started", { resume_from_run_id: "run_01K9ZC0000SP00R00000000000" }],
      known("session.started", {
        native_session_id: "n",
        resumed: true,
        parent_run_id: "run_p",
        agent_version: "0.9.1",
      }),
      known("policy.model_rewrote", { from_model: "gpt-5", to_model: "gpt-5-mini", reason: "cost" }),
    ).map((envelope) => ({ ...envelope, task_id: "task_1", session_id: "chat_1" })),
  ]);
  expect(view).toMatchObject({
    runId: "run_01K9ZC0000SP00R00000000000",
    taskId: "task_1",
    sessionId: "chat_1",
    nativeSessionId: "n",
    agentVersion: "0.9.1",
    parentRunId: "run_p",
    priorRunId: "run_0",
    agent: "codex",
    kind: "agent",
    model: "gpt-5-mini",
    provider: "openai",
    workspacePath: "/w",
    lastSequence: 4,
  });
});

it("the timeline contains everything in the order in which it began", () => {
  const story = inTurn().thinking("Hm.").message("I run it.");
  story.tool({ id: "c1", name: "Bash", kind: "shell", input: { command: "ls" } }).shell("c1", "ls", { stdout: "a\n" });
  const envelopes = whole(story.result("c1", "Bash", "a").endTurn().turn().message("One file.").endTurn().end());
  const view = viewOf(envelopes);
  expect(view.timeline).toMatchObject([
    { kind: "prompts", index: 0 },
    { kind: "turns", index: 0 },
    { kind: "thoughts", index: 0 },
    { kind: "messages", index: 0 },
    { kind: "tools", index: 0 },
    { kind: "shells", index: 0, tool: 0 },
    { kind: "turns", index: 1 },
    { kind: "messages", index: 1 },
    { kind: "notes", index: 0 },
  ]);
  expect(view.timeline.map(({ kind, index }) => view[kind][index])).not.toContain(undefined);
  // Each entry names the event with which its item begins.
  expect(view.timeline.map(({ sequence }) => envelopes[sequence]?.type)).toEqual([
    "user.message",
    "turn.started",
    "assistant.thinking_started",
    "assistant.message_started",
    "assistant.tool_call_started",
    "tool.shell.command",
    "turn.started",
    "assistant.message_started",
    "run.finished",
  ]);
});
