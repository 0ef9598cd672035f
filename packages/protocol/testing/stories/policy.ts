import { Story } from "../story.ts";

const call = { toolCallId: "m1", server: "github", toolName: "create_issue" };

/** A rule rewrites the model, hooks judge a call, rules block another one, and an output is too large to be stored. */
export const hooksAndRules = (): Story =>
  new Story("Clean up, then report.")
    .begin()
    .fact("policy.model_rewrote", {
      from_model: "gpt-5",
      to_model: "gpt-5-mini",
      reason: "rewrite model gpt-5 to=gpt-5-mini",
      policy_id: "user:12",
    })
    .turn()
    .tool({ id: "h1", name: "Bash", kind: "shell", input: { command: "npm run clean" } })
    .fact("policy.hook_completed", {
      hook: "PreToolUse",
      command: "check-command",
      tool_call_id: "h1",
      tool_name: "Bash",
      turn_index: 1,
      outcome: "ok",
      decision: "allow",
      exit_code: 0,
      duration_ms: 41,
    })
    .shell("h1", "npm run clean", { stdout: "cleaned\n" })
    .result("h1", "Bash", "cleaned\n")
    .fact("gap.artifact_capped", {
      limit: "artifact",
      limit_bytes: 10_485_760,
      size_bytes: 12_000_000,
      kind: "command_output",
      tool_call_id: "h1",
      message: "Only the beginning and the end of the output are kept.",
    })
    .fact("policy.git_settings_changed", { files: [{ path: ".git/hooks/pre-commit", change: "created" }] })
    .fact("policy.hook_completed", {
      hook: "PostToolUse",
      command: "notify",
      tool_call_id: "h1",
      tool_name: "Bash",
      turn_index: 1,
      outcome: "timed_out",
      reason: "The hook took longer than 10 s.",
      exit_code: -1,
      duration_ms: 10_000,
    })
    .tool({ id: "h2", name: "Bash", kind: "shell", input: { command: "rm -rf /" } })
    .emit("tool_error", { toolCallId: "h2", toolName: "Bash", error: "block shell rm -rf /**", outcome: "blocked" })
    .emit("mcp_tool_call_start", { ...call, input: { title: "Cleaned" } })
    .wait(30_000)
    .emit("mcp_tool_error", { ...call, error: "No answer after 30 s.", durationMs: 30_000, outcome: "timed_out" })
    .emit("mcp_tool_call_start", { ...call, toolCallId: "m2", input: { title: "Cleaned" } })
    .emit("mcp_tool_error", { ...call, toolCallId: "m2", error: "Stopped by the user.", outcome: "cancelled" })
    .endTurn()
    .turn()
    .message("Cleaned; nothing was reported.")
    .endTurn()
    .end();
