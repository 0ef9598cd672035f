import type { AgentEventTypeLiteral } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import {
  approvalKind,
  approvalSummary,
  byteOffset,
  type Context,
  costChange,
  diffBytes,
  exitSummary,
  fileToolName,
  mcpToolName,
  notTruncated,
  textBlock,
  thinkingBlock,
  toolCallCount,
  toolKind,
  turnDuration,
  turnIndex,
} from "./context.ts";
import {
  as,
  type Conversion,
  cost,
  cumulativeCost,
  type Data,
  knownKind,
  runRef,
  textIfAny,
  turnNumber,
} from "./conversion.ts";
import {
  type Derivation,
  finalAnswer,
  intents,
  invoked,
  kindSpecific,
  startedByCommand,
  startedByGrant,
} from "./derive.ts";

/** One way an AgentEvent stands as an envelope. */
export interface Row {
  readonly event: AgentEventTypeLiteral;
  readonly type: EnvelopeType;
  /** Field of the event → where it stands in data. Fields not listed (`accumulated`, …) are rebuilt by the reader. */
  readonly fields: Readonly<Record<string, Conversion>>;
  /** The row holds only for events with these values; they come back from the row, not from data. */
  readonly when?: Readonly<Data>;
  /** Data that is always the same here. */
  readonly fixed?: Readonly<Data>;
  /** What tells this row from others of its type when reading: present, and as `fixed` says where it does. */
  readonly marks?: readonly string[];
  readonly adds?: Readonly<Record<string, Context>>;
  readonly derived?: readonly Derivation[];
  /** Read, never written. */
  readonly readOnly?: true;
}

type FieldNames = Record<string, string | Conversion>;

/** `fields` as a name means the same value under that name. */
function row(
  event: AgentEventTypeLiteral,
  type: EnvelopeType,
  fields: FieldNames = {},
  more: Omit<Row, "event" | "type" | "fields"> = {},
): Row {
  const conversions = Object.entries(fields).map(([name, to]) => [name, typeof to === "string" ? as(to) : to]);
  return { event, type, fields: Object.fromEntries(conversions), ...more };
}

const session = { sessionId: "native_session_id" };
const inTurn = { adds: { turn_index: turnIndex } };
const message = { adds: { turn_index: turnIndex, block_index: textBlock } };
const thought = { adds: { turn_index: turnIndex, block_index: thinkingBlock } };
const call = { toolCallId: "tool_call_id", toolName: "tool_name" };
const callEnd = { kind: toolKind, turn_index: turnIndex };
const mcpCall = { toolCallId: "tool_call_id", server: "mcp_server", toolName: "mcp_tool" };
const mcpAdds = { tool_name: mcpToolName, turn_index: turnIndex };
const mcp = { kind: "mcp" };
const ofCall = { toolCallId: "tool_call_id" };
const plugin = { pluginId: "plugin_id", pluginName: "plugin_name" };
const subagent = { subagentId: "subagent_id", agentName: "agent_name" };
const change = { kind: "file", operation: "write", artifact_status: "applied" };
const outputEnd = {
  adds: { stdout_bytes: byteOffset("stdout"), stderr_bytes: byteOffset("stderr"), truncated: notTruncated },
};

/**
 * The mapping. Writing takes the first row of the event's type whose `when` holds; reading takes the first row of the
 * envelope's type whose `marks` hold, so the more telling row stands first.
 */
export const mappingTable: readonly Row[] = [
  row("session_start", "session.started", {
    ...session,
    resumed: "resumed",
    forkedFrom: "forked_from",
    parentRunId: runRef("parent_run_id"),
    approvalMode: "approval_mode",
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

  row(
    "tool_call_start",
    "assistant.tool_call_started",
    { ...call, toolKind: knownKind, inputAccumulated: textIfAny("input_text") },
    inTurn,
  ),
  row("tool_input_delta", "assistant.tool_call_input_delta", { ...ofCall, delta: "delta" }, inTurn),
  row(
    "mcp_tool_call_start",
    "assistant.tool_call_proposed",
    { ...mcpCall, input: "input" },
    { fixed: mcp, marks: ["mcp_server", "mcp_tool"], adds: mcpAdds, derived: [invoked] },
  ),
  row(
    "tool_call_ready",
    "assistant.tool_call_proposed",
    { ...call, toolKind: knownKind, input: "input" },
    { ...inTurn, derived: [invoked] },
  ),
  row(
    "mcp_tool_error",
    "tool.completed",
    { ...mcpCall, error: "error", durationMs: "duration_ms" },
    {
      when: { protocol: false },
      fixed: { ...mcp, result: "tool_error", protocol: false },
      marks: ["mcp_server", "mcp_tool", "result"],
      adds: mcpAdds,
    },
  ),
  row(
    "mcp_tool_result",
    "tool.completed",
    { ...mcpCall, output: "output", durationMs: "duration_ms" },
    { fixed: { ...mcp, result: "dispatched" }, marks: ["mcp_server", "mcp_tool"], adds: mcpAdds },
  ),
  row(
    "tool_result",
    "tool.completed",
    { ...call, output: "output", durationMs: "duration_ms" },
    { adds: { ...callEnd, summary: exitSummary }, derived: kindSpecific },
  ),
  row(
    "mcp_tool_error",
    "tool.failed",
    { ...mcpCall, error: "error", durationMs: "duration_ms", protocol: "protocol" },
    { fixed: { ...mcp, result: "failed" }, marks: ["mcp_server", "mcp_tool"], adds: mcpAdds },
  ),
  row("tool_error", "tool.cancelled", { ...call, error: "error" }, { when: { outcome: "cancelled" }, adds: callEnd }),
  row("tool_error", "tool.timed_out", { ...call, error: "error" }, { when: { outcome: "timed_out" }, adds: callEnd }),
  row(
    "mcp_tool_error",
    "policy.tool_blocked",
    { ...mcpCall, error: "reason" },
    { marks: ["mcp_server", "mcp_tool"], readOnly: true },
  ),
  row(
    "tool_error",
    "policy.tool_blocked",
    { ...call, error: "reason" },
    { when: { outcome: "blocked" }, adds: callEnd },
  ),
  row("tool_error", "tool.failed", { ...call, error: "error", outcome: "outcome" }, { adds: callEnd }),

  row("file_read", "tool.file_read.completed", { path: "path", ...ofCall }),
  row(
    "file_patch",
    "tool.file.patch",
    { path: "path", diff: "diff", ...ofCall },
    {
      fixed: change,
      marks: ["artifact_status", "diff"],
      adds: { tool_name: fileToolName, diff_bytes: diffBytes },
      derived: intents,
    },
  ),
  row(
    "file_create",
    "tool.file.patch",
    { path: "path", byteCount: "bytes_written", ...ofCall },
    {
      fixed: { ...change, before_existed: false },
      marks: ["artifact_status", "before_existed"],
      adds: { tool_name: fileToolName },
      derived: intents,
    },
  ),
  row(
    "file_write",
    "tool.file.patch",
    { path: "path", byteCount: "bytes_written", ...ofCall },
    {
      fixed: { ...change, before_existed: true },
      marks: ["artifact_status"],
      adds: { tool_name: fileToolName },
      derived: intents,
    },
  ),
  row("file_delete", "tool.file.deleted", { path: "path", ...ofCall }),

  row(
    "shell_start",
    "tool.shell.command",
    { command: "command_string", cwd: "cwd", ...ofCall },
    { derived: [startedByCommand] },
  ),
  row(
    "shell_stdout_delta",
    "tool.shell.output_chunk",
    { delta: "data", ...ofCall },
    { fixed: { stream: "stdout" }, marks: ["stream"], adds: { byte_offset: byteOffset("stdout") } },
  ),
  row(
    "shell_stderr_delta",
    "tool.shell.output_chunk",
    { delta: "data", ...ofCall },
    { fixed: { stream: "stderr" }, adds: { byte_offset: byteOffset("stderr") } },
  ),
  row("shell_exit", "tool.shell.exited", { exitCode: "exit_code", durationMs: "duration_ms", ...ofCall }, outputEnd),

  row("subagent_spawn", "subagent.started", { ...subagent, prompt: "prompt", childRunId: runRef("child_run_id") }),
  row("subagent_result", "subagent.completed", { ...subagent, summary: "summary", cost }),
  row("subagent_error", "subagent.failed", { ...subagent, error: "error" }),

  row("plugin_loaded", "plugin.loaded", { ...plugin, version: "version" }),
  row("plugin_invoked", "plugin.invoked", plugin),
  row("plugin_error", "plugin.failed", { ...plugin, error: "error" }),

  row("skill_loaded", "skill.loaded", { skillName: "skill_name", source: "source" }),
  row("skill_invoked", "skill.invoked", { skillName: "skill_name" }),
  row("agentdoc_read", "skill.agentdoc_read", { path: "path" }),

  row("image_output", "assistant.image_output", { mimeType: "mime", base64: "base64", filePath: "file_path" }, inTurn),
  row("image_input_ack", "user.image_acknowledged", { mimeType: "mime" }, inTurn),

  row(
    "cost",
    "cost.tick",
    { cost: cumulativeCost },
    {
      adds: {
        delta_input_tokens: costChange("inputTokens"),
        delta_output_tokens: costChange("outputTokens"),
        delta_cost_micros_usd: costChange("totalUsd"),
      },
    },
  ),
  row(
    "token_usage",
    "cost.token_usage",
    {
      inputTokens: "input_tokens",
      outputTokens: "output_tokens",
      thinkingTokens: "thinking_tokens",
      cachedTokens: "cached_input_tokens",
    },
    inTurn,
  ),

  row("input_required", "input.requested", {
    interactionId: "interaction_id",
    question: "question",
    context: "context",
    source: "source",
  }),
  row(
    "approval_request",
    "approval.requested",
    {
      interactionId: "approval_id",
      action: "action",
      detail: "detail",
      toolName: "tool_name",
      riskLevel: "risk_level",
      input: "input",
      diff: "diff",
      truncated: "truncated",
      ...ofCall,
    },
    {
      fixed: { status: "pending" },
      adds: { kind: approvalKind, summary: approvalSummary, turn_index: turnIndex },
    },
  ),
  row(
    "approval_granted",
    "approval.resolved",
    { interactionId: "approval_id" },
    { fixed: { decision: "approved" }, marks: ["decision"], derived: [startedByGrant] },
  ),
  row(
    "approval_denied",
    "approval.resolved",
    { interactionId: "approval_id", reason: "comment" },
    { fixed: { decision: "rejected" } },
  ),
  row("approval_denied", "approval.timed_out", { interactionId: "approval_id" }, { readOnly: true }),

  row("rate_limited", "limit.rate_limited", { retryAfterMs: "retry_after_ms" }),
  row("context_limit_warning", "limit.context_warning", {
    usedTokens: "used_tokens",
    maxTokens: "max_tokens",
    pctUsed: "pct_used",
  }),
  row("context_compacted", "limit.context_compacted", { summary: "summary", tokensSaved: "tokens_saved" }),
  row("retry", "limit.retry_scheduled", {
    attempt: "attempt",
    maxAttempts: "max_attempts",
    reason: "reason",
    delayMs: "delay_ms",
  }),

  row("interrupted", "run.interrupted"),
  row("aborted", "run.aborted"),
  row("paused", "run.paused"),
  row("resumed", "run.unpaused"),
  row("timeout", "run.timed_out", { kind: "kind" }),
  row("turn_limit", "turn.limit_reached", { maxTurns: "max_turns" }),
  row("stream_fallback", "run.stream_fallback", { capability: "capability", reason: "reason" }),

  row("auth_error", "error.auth", { message: "message", guidance: "guidance" }),
  row("rate_limit_error", "error.rate_limit", { message: "message", retryAfterMs: "retry_after_ms" }),
  row("context_exceeded", "error.context_exceeded", { usedTokens: "used_tokens", maxTokens: "max_tokens" }),
  row("crash", "error.crash", { exitCode: "exit_code", stderr: "stderr" }),
  row("error", "error.reported", { code: "code", message: "message", recoverable: "recoverable" }),

  row("debug", "debug.message", { level: "level", message: "message" }),
  row("log", "debug.log", { source: "stream", line: "line" }),
];
