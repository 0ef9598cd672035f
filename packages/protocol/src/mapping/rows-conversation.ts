import { textBlock, thinkingBlock, toolCallCount, turnDuration, turnIndex } from "./context.ts";
import { cost, runRef, turnNumber } from "./conversion.ts";
import { finalAnswer } from "./derive.ts";
import { type Row, row } from "./row.ts";

const session = { sessionId: "native_session_id" };
const message = { adds: { turn_index: turnIndex, block_index: textBlock } };
const thought = { adds: { turn_index: turnIndex, block_index: thinkingBlock } };

/** Sessions, turns, messages and thoughts. */
export const conversationRows: readonly Row[] = [
  row("session_start", "session.started", {
    ...session,
    resumed: "resumed",
    forkedFrom: "forked_from",
    parentRunId: runRef("parent_run_id"),
    approvalMode: "approval_mode",
    agentVersion: "agent_version",
  }),
  row("session_resume", "session.resumed", { ...session, priorTurnCount: "prior_turn_count" }),
  row("session_fork", "session.forked", { ...session, forkedFrom: "forked_from" }),
  row("session_checkpoint", "session.checkpoint_saved", { ...session, checkpointId: "checkpoint_id" }),
  row("session_end", "session.ended", { ...session, turnCount: "turn_count", cost }),

  row("turn_start", "turn.started", { turnIndex: turnNumber, model: "model", provider: "provider" }),
  row(
    "turn_end",
    "turn.completed",
    { turnIndex: turnNumber, cost, stopReason: "stop_reason" },
    { adds: { duration_ms: turnDuration, tool_calls: toolCallCount }, derived: [finalAnswer] },
  ),
  row("step_start", "turn.step_started", { turnIndex: turnNumber, stepIndex: "step_index", stepType: "step_type" }),
  row("step_end", "turn.step_completed", { turnIndex: turnNumber, stepIndex: "step_index" }),

  row("message_start", "assistant.message_started", {}, message),
  row("text_delta", "assistant.text_delta", { delta: "delta" }, message),
  row("message_stop", "assistant.text_complete", { text: "text" }, message),

  row("thinking_start", "assistant.thinking_started", { effort: "effort" }, thought),
  row("thinking_delta", "assistant.thinking_delta", { delta: "delta" }, thought),
  row("thinking_stop", "assistant.thinking_complete", { thinking: "text" }, thought),
];
