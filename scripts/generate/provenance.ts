/** The documents that define a field; a field can have several. */
interface Provenance {
  /** The v1 protocol draft. */
  readonly draft: readonly string[];
  /** The reference of emitted events. */
  readonly reference: readonly string[];
  /** Added here. */
  readonly ours: readonly string[];
}

const cost = ["turns", "cost_micros_usd", "duration_ms"];
const call = ["tool_call_id", "tool_name", "kind"];
const mcp = ["mcp_server", "mcp_tool", "result"];
const terminal = [...call, "duration_ms", "summary"];
const sandbox = ["wrapper.kind", "network.enabled", "read_only", "output_limit.bytes"].map(
  (key) => `hecate.sandbox.${key}`,
);
const exit = ["exit_code", "stdout.bytes", "stderr.bytes", "timed_out", "cancelled", "output_truncated"].map(
  (key) => `hecate.tool.${key}`,
);
const command = ["tool_call_id", "argv", "cwd", "env_keys", "sandbox_layer"];
const output = ["tool_call_id", "stream", "data", "byte_offset"];
const exited = ["tool_call_id", "exit_code", "signal", "stdout_bytes", "stderr_bytes", "truncated"];
const resolved = ["approval_id", "decision", "by", "comment", "scope"];

/** The payloads for which the two documents differ. Ours is the union of their fields. */
export const provenance: Readonly<Record<string, Provenance>> = {
  "run.queued": {
    draft: ["kind", "model", "provider", "workspace_path", "workspace_mode", "prior_run_id"],
    reference: ["resume"],
    ours: ["workspace_shared", "priority", "due_at"],
  },
  "run.started": {
    draft: ["worker_id", "lease_until"],
    reference: ["resume_from_run_id", "resume_from_step_id", "resume_from_event_sequence"],
    ours: ["executor", "attempt", "snapshots", "launcher_id"],
  },
  "run.finished": { draft: ["final_status", ...cost], reference: ["status", "error"], ours: [] },
  "run.failed": {
    draft: ["code", "message", "retriable", "turns"],
    reference: ["status", "error"],
    ours: ["cost_micros_usd", "duration_ms"],
  },
  "run.cancelled": { draft: ["by", "reason"], reference: ["reason"], ours: [...cost, "command_id"] },
  "run.resumed_from_event": {
    draft: ["from_run_id", "from_sequence", "prior_cost_micros_usd"],
    reference: ["from_run_id", "from_sequence", "reason", "retry_from_turn", "prior_cost_micros_usd"],
    ours: ["from_step_id"],
  },
  "turn.completed": {
    draft: [
      ...["turn_index", "input_tokens", "output_tokens", "cached_input_tokens", "cost_micros_usd"],
      ...["duration_ms", "tool_calls", "stop_reason"],
    ],
    reference: [
      ...["turn_index", "step_id", "cost_micros_usd", "run_cumulative_cost_micros_usd"],
      ...["task_cumulative_cost_micros_usd", "tool_calls"],
    ],
    ours: ["total_usd", "thinking_tokens", "cache_write_tokens", "cost_source"],
  },
  "approval.requested": {
    draft: ["approval_id", "tool_call_id", "kind", "summary", "policy_reason"],
    reference: ["approval_id", "kind", "status", "policy_reason", "requested_by", "step_id"],
    ours: [
      ...["tool_name", "turn_index", "action", "detail", "risk_level", "expires_at"],
      ...[
        "input",
        "diff",
        "truncated",
        "diff_artifact_id",
        "cwd",
        "action_hash",
        "rule",
        "policy_id",
        "default_action",
      ],
    ],
  },
  "approval.resolved": {
    draft: resolved,
    reference: [...resolved, "kind", "status"],
    ours: ["command_id", "resolved_at"],
  },
  "gap.run_disconnected": {
    draft: ["since_sequence", "since_at", "reason"],
    reference: [
      ...["reason", "action", "message", "prior_status", "recovered_status", "recovery_strategy"],
      "stale_threshold_ms",
    ],
    ours: [],
  },
  "tool.invoked": { draft: [...call, "turn_index"], reference: [...call, ...sandbox], ours: mcp },
  "tool.shell.command": {
    draft: command,
    reference: [
      ...[...command, "timeout_ms", "command_string"],
      ...["hecate.tool.working_directory", "hecate.tool.timeout_ms"],
    ],
    ours: sandbox,
  },
  "tool.shell.output_chunk": { draft: output, reference: output, ours: [] },
  "tool.shell.exited": { draft: exited, reference: [...exited, ...exit], ours: ["duration_ms"] },
  "tool.completed": {
    draft: [...terminal, "result_artifact_id", ...mcp],
    reference: [...terminal, "error", ...exit, ...mcp],
    ours: ["turn_index", "output", "outcome", "truncated", "protocol"],
  },
  "tool.failed": {
    draft: [...terminal, "result_artifact_id"],
    reference: [...terminal, "error", ...exit, ...mcp],
    ours: ["turn_index", "outcome", "protocol"],
  },
  "policy.tool_blocked": {
    draft: [...call, "reason", "policy_id", ...mcp],
    reference: [...call, "reason", "error", "duration_ms", ...mcp],
    ours: ["turn_index", "protocol"],
  },
};
