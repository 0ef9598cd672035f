import { Story } from "../story.ts";

const QUESTION = "appr_01K9ZC0000APPR0VA000000001";

/** A call waits for permission; `answer` adds the rest of the run. */
function asked(): Story {
  return new Story("Clean up the repository.", { agent: "codex" })
    .begin()
    .turn()
    .message("I'll remove the build output.")
    .tool({ id: "call_1", name: "exec_command", kind: "shell", input: { command: "rm -rf dist" } })
    .emit("approval_request", {
      interactionId: QUESTION,
      action: "Execute shell command",
      detail: "rm -rf dist",
      toolName: "exec_command",
      riskLevel: "high",
      toolCallId: "call_1",
      input: { command: "rm -rf dist" },
    })
    .wait(4_000);
}

export const approvalApproved = (): Story =>
  asked()
    .emit("approval_granted", { interactionId: QUESTION })
    .shell("call_1", "rm -rf dist")
    .result("call_1", "exec_command", "")
    .endTurn()
    .turn()
    .message("The build output is gone.")
    .endTurn()
    .end();

export const approvalRejected = (): Story =>
  asked()
    .emit("approval_denied", { interactionId: QUESTION, reason: "Keep dist for the release." })
    .emit("tool_error", {
      toolCallId: "call_1",
      toolName: "exec_command",
      error: "Refused by the user.",
      outcome: "cancelled",
    })
    .endTurn()
    .turn()
    .message("I left dist in place.")
    .endTurn()
    .end();

export const approvalTimedOut = (): Story =>
  asked()
    .wait(300_000)
    .emit("approval_denied", { interactionId: QUESTION, reason: "No answer after 300 s." })
    .instead("approval.timed_out", { approval_id: QUESTION, after_seconds: 300 })
    .emit("tool_error", {
      toolCallId: "call_1",
      toolName: "exec_command",
      error: "Nobody answered.",
      outcome: "cancelled",
    })
    .endTurn()
    .emit("error", { code: "APPROVAL_TIMED_OUT", message: "Nobody answered the approval.", recoverable: false })
    .end();

/** The start of the run needs an approval, and another approval is still open when the run is cancelled. */
export const approvalBeforeStart = (): Story =>
  new Story("Publish the package.", {}, (story) =>
    story
      .fact("run.awaiting_approval", {})
      .fact("approval.requested", {
        approval_id: "appr_01K9ZC0000APPR0VA000000002",
        kind: "network_egress",
        status: "pending",
        policy_reason: "The task may reach the network.",
      })
      .fact("approval.resolved", {
        approval_id: "appr_01K9ZC0000APPR0VA000000002",
        decision: "approved",
        by: "operator",
        scope: "once",
      })
      .fact("run.queued", { resume: true }),
  )
    .begin()
    .turn()
    .message("Publishing.")
    .endTurn()
    .end();

/** The agent asks a question, and rejects an action that its approval mode does not allow. */
export const question = (): Story =>
  new Story("Rename the module.")
    .begin()
    .turn()
    .emit("input_required", {
      interactionId: "appr_01K9ZC0000APPR0VA000000003",
      question: "Which name: cart or basket?",
      context: "Renaming src/total.ts",
      source: "agent",
    })
    .wait(9_000)
    .fact("user.message", {
      turn_index: 1,
      text: "basket",
      via: "answer",
      interaction_id: "appr_01K9ZC0000APPR0VA000000003",
    })
    .emit("approval_denied", { interactionId: "appr_01K9ZC0000APPR0VA000000004", reason: "Writing is off." })
    .message("I would rename it to basket.ts.")
    .endTurn()
    .end();
