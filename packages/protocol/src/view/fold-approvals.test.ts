import { describe, expect, it } from "vitest";
import type { Story } from "../../testing/story.ts";
import { after, inTurn, known, seen, soFar, stream } from "../../testing/view/fold-script.ts";
import { viewOf } from "./fold.ts";

const bash = { id: "c1", name: "Bash", kind: "shell", input: { command: "rm -rf dist" } } as const;

const request = (story: Story, interactionId: string, toolCallId = "c1") =>
  story.emit("approval_request", {
    interactionId,
    action: "Execute shell command",
    detail: "rm -rf dist\nand more",
    toolName: "Bash",
    riskLevel: "high",
    toolCallId,
  });

const asked = () => request(inTurn().tool(bash), "a");

describe("an approval", () => {
  it("shows the request, and its call waits", () => {
    const view = seen(asked());
    expect(view.approvals).toMatchObject([
      {
        id: "a",
        status: "pending",
        kind: "shell_command",
        toolCallId: "c1",
        toolName: "Bash",
        turn: 1,
        action: "Execute shell command",
        summary: "rm -rf dist",
        detail: "rm -rf dist\nand more",
        riskLevel: "high",
        requestedAt: expect.any(String),
      },
    ]);
    expect(view.tools[0]).toMatchObject({ state: "waiting", approvals: [0] });
    expect(view.timeline.at(-1)).toEqual({ kind: "approvals", index: 0, sequence: 8, tool: 0 });
  });

  it("lets the call run when it is given", () => {
    const view = seen(asked().wait(9).emit("approval_granted", { interactionId: "a" }));
    expect(view.approvals).toMatchObject([{ status: "approved", decidedAt: expect.any(String) }]);
    expect(view.tools[0]?.state).toBe("running");
  });

  it("blocks the call when it is rejected, and shows who rejected it and why", () => {
    const refusal = known("approval.resolved", {
      approval_id: "a",
      decision: "rejected",
      by: "ann",
      comment: "Keep dist.",
    });
    const view = viewOf(after(soFar(asked()), refusal));
    expect(view.approvals).toMatchObject([{ status: "rejected", decidedBy: "ann", comment: "Keep dist." }]);
    expect(view.tools[0]?.state).toBe("blocked");
  });

  it("keeps a rejected call blocked when the agent reports it as failed", () => {
    const story = asked().emit("approval_denied", { interactionId: "a" });
    story.emit("tool_error", { toolCallId: "c1", toolName: "Bash", error: "The user said no." });
    expect(seen(story).tools[0]).toMatchObject({
      state: "blocked",
      error: "The user said no.",
      endedAt: expect.any(String),
    });
  });

  it("counts as rejected when nobody answers", () => {
    const view = seen(asked().fact("approval.timed_out", { approval_id: "a", after_seconds: 300 }));
    expect(view.approvals).toMatchObject([{ status: "timed_out", comment: "No answer after 300 s." }]);
    expect(view.tools[0]?.state).toBe("blocked");
  });

  it("cancels the call when it is withdrawn", () => {
    const view = seen(asked().fact("approval.resolved", { approval_id: "a", decision: "cancelled" }));
    expect(view.approvals[0]?.status).toBe("cancelled");
    expect(view.tools[0]?.state).toBe("cancelled");
  });

  it("blocks only its own call", () => {
    const story = request(
      request(
        inTurn()
          .tool(bash)
          .tool({ ...bash, id: "c2" }),
        "a",
      ),
      "b",
      "c2",
    );
    const view = seen(story.emit("approval_granted", { interactionId: "b" }));
    expect(view.approvals.map(({ status }) => status)).toEqual(["pending", "approved"]);
    expect(view.tools.map(({ state }) => state)).toEqual(["waiting", "running"]);
  });

  it("leaves the call waiting while another approval for it is pending", () => {
    const story = request(asked(), "b");
    const granted = after(soFar(story), known("approval.resolved", { approval_id: "a", decision: "approved" }));
    expect(viewOf(granted).tools[0]?.state).toBe("waiting");
  });

  it("may be decided without a request, as in deny mode or after pruning", () => {
    const view = viewOf(
      stream(["approval.resolved", { approval_id: "x", decision: "rejected", comment: "Writing is off." }]),
    );
    expect(view.approvals).toMatchObject([{ id: "x", status: "rejected", comment: "Writing is off." }]);
  });

  it("opens a call that was not seen, without setting its kind", () => {
    const request = {
      approval_id: "a",
      kind: "shell_command",
      tool_call_id: "c",
      tool_name: "Bash",
      turn_index: 3,
    } as const;
    const view = viewOf(stream(known("approval.requested", request)));
    expect(view.tools).toMatchObject([{ id: "c", name: "Bash", kind: "other", state: "waiting", turn: 3 }]);
  });

  it("needs no call before the start of a run", () => {
    const view = viewOf(
      stream(
        known("run.created", { status: "awaiting_approval" }),
        known("run.awaiting_approval", {}),
        known("approval.requested", { approval_id: "a", kind: "network_egress", expires_at: "2026-11-03T00:00:00Z" }),
      ),
    );
    expect(view).toMatchObject({ status: "awaiting_approval", state: "blocked", tools: [] });
    expect(view.approvals).toMatchObject([{ kind: "network_egress", expiresAt: "2026-11-03T00:00:00Z" }]);
  });
});
