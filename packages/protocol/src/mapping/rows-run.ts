import { answeredKind, approvalKind, approvalSummary, costChange, turnIndex } from "./context.ts";
import { cumulativeCost } from "./conversion.ts";
import { startedByGrant } from "./derive.ts";
import { inTurn, ofCall, type Row, row } from "./row.ts";

const plugin = { pluginId: "plugin_id", pluginName: "plugin_name" };

/** Everything else: start-up, costs, questions, limits, the end of the run, and notes. */
export const runRows: readonly Row[] = [
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
    {
      fixed: { decision: "approved", status: "approved", scope: "once" },
      marks: ["decision"],
      adds: { kind: answeredKind },
      derived: [startedByGrant],
    },
  ),
  row(
    "approval_denied",
    "approval.resolved",
    { interactionId: "approval_id", reason: "comment" },
    { fixed: { decision: "rejected", status: "rejected", scope: "once" }, adds: { kind: answeredKind } },
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
