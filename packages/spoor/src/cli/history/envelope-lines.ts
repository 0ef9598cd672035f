import type { EnvelopeType } from "@spoor/protocol";
import { type FailureFacts, runFailureOf } from "@spoor/protocol/write";
import { brief } from "../output/event-renderer.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { dollars } from "./format.ts";
import { gitSettingsLines } from "./git-settings.ts";

type Data = Readonly<Record<string, unknown>>;

/** How each type is shown, from its payload. Types that are neither here nor silent are shown as AgentEvents. */
export const linesByType: Readonly<Partial<Record<EnvelopeType, (data: Data) => string[]>>> = {
  "user.message": ({ text }) => textOf(text).map((line) => `> ${line}`),
  "user.attachment": ({ kind, name }) => [`> [${terminalSafe(String(name ?? kind))}]`],
  "approval.requested": ({ action, kind, detail, summary }) => [
    `? ${brief(action ?? kind)}`,
    ...textOf(detail ?? summary).map((line) => `    ${line}`),
  ],
  "approval.resolved": ({ decision, by, comment }) => [
    `  ${terminalSafe(String(decision))}${by ? ` by ${brief(by)}` : ""}${comment ? `: ${brief(comment)}` : ""}`,
  ],
  "approval.timed_out": ({ after_seconds }) => [`  refused: nobody answered for ${after_seconds} s`],
  "input.requested": ({ question }) => textOf(question).map((line) => `? ${line}`),
  "policy.tool_blocked": ({ tool_name, reason }) => [`  ✗ ${brief(tool_name)} was blocked: ${brief(reason)}`],
  "policy.model_rewrote": ({ from_model, to_model }) => [
    `  model changed from ${brief(from_model)} to ${brief(to_model)}`,
  ],
  "policy.git_settings_changed": (data) => gitSettingsLines(data).map((line) => `! ${line}`),
  "policy.hook_completed": ({ hook, command, outcome, decision, reason }) => [
    `  hook ${brief(command)} (${brief(hook)}): ${brief(outcome === "ok" ? (decision ?? "ok") : outcome)}${reason ? `: ${brief(reason)}` : ""}`,
  ],
  "tool.cancelled": ({ tool_name }) => [`  ✗ ${brief(tool_name)} was cancelled`],
  "tool.timed_out": ({ tool_name }) => [`  ✗ ${brief(tool_name)} timed out`],
  "plugin.failed": ({ plugin_name, error }) => [`  ✗ plugin ${brief(plugin_name)}: ${brief(error)}`],
  "subagent.failed": ({ agent_name, error }) => [`  ✗ ${brief(agent_name)}: ${brief(error)}`],
  "assistant.image_output": ({ mime }) => [`  [image ${brief(mime ?? "")}]`],
  "error.tool_unavailable": ({ tool_name, reason }) => [`✗ ${brief(tool_name)} is not available: ${brief(reason)}`],
  "error.model_capability_missing": (data) => [`✗ the model lacks a capability: ${brief(JSON.stringify(data))}`],
  "error.upstream": ({ message }) => [`✗ ${brief(message)}`],
  "error.auth": ({ message, guidance }) => [`✗ ${brief(message)}${guidance ? ` ${brief(guidance)}` : ""}`],
  "error.rate_limit": ({ message }) => [`✗ rate limit: ${brief(message)}`],
  "error.context_exceeded": ({ used_tokens, max_tokens }) => [
    `✗ ${sentence({ type: "context_exceeded", usedTokens: Number(used_tokens), maxTokens: Number(max_tokens) })}`,
  ],
  "error.crash": ({ exit_code, stderr }) => [
    `✗ ${sentence({ type: "crash", exitCode: Number(exit_code), stderr: String(stderr) })}`,
    ...textOf(stderr).map((line) => `    ${line}`),
  ],
  "error.reported": ({ code, message }) => [`✗ ${brief(code)}: ${brief(message)}`],
  "limit.rate_limited": ({ retry_after_ms }) => [
    `  rate limited${typeof retry_after_ms === "number" ? `: the agent waits ${retry_after_ms / 1000} s` : ""}`,
  ],
  "limit.context_warning": ({ pct_used }) => [`  ${pct_used} % of the context is used`],
  "turn.limit_reached": ({ max_turns }) => [`■ ${sentence({ type: "turn_limit", maxTurns: Number(max_turns) })}`],
  "cost.budget_warning": () => ["! the budget is nearly spent"],
  "cost.budget_exceeded": () => ["! the budget is spent"],
  "run.awaiting_approval": () => ["■ the run waits for an approval"],
  "run.paused": () => ["■ paused"],
  "run.unpaused": () => ["■ goes on"],
  "run.interrupted": () => ["■ interrupted"],
  "run.aborted": () => ["■ aborted"],
  "run.timed_out": ({ kind }) => [
    `■ ${sentence({ type: "timeout", kind: kind === "inactivity" ? "inactivity" : "run" })}`,
  ],
  "run.resumed_from_event": ({ from_run_id }) => [`■ continues ${brief(from_run_id)}`],
  "run.finished": (data) => [`■ completed${totalsOf(data)}`],
  "run.failed": ({ code, message, ...data }) => [
    `■ failed: ${brief(code)}${totalsOf(data)}`,
    ...textOf(message).map((line) => `    ${line}`),
  ],
  "run.cancelled": ({ reason, by, ...data }) => [
    `■ cancelled${by ? ` by ${brief(by)}` : ""}${reason ? `: ${brief(reason)}` : ""}${totalsOf(data)}`,
  ],
};

/** Types that are not shown: they frame other events, repeat them, or serve programs only. */
export const silentTypes: ReadonlySet<EnvelopeType> = new Set([
  ...(["run.created", "run.queued", "run.started", "run.checkpoint_saved", "run.stream_fallback"] as const),
  ...(["session.started", "session.resumed", "session.forked", "session.checkpoint_saved", "session.ended"] as const),
  ...(["turn.started", "turn.completed", "turn.failed", "turn.step_started", "turn.step_completed"] as const),
  ...(["user.image_acknowledged", "assistant.message_started", "assistant.final_answer"] as const),
  ...(["assistant.thinking_started", "assistant.thinking_delta", "assistant.thinking_complete"] as const),
  ...(["assistant.tool_call_started", "assistant.tool_call_input_delta"] as const),
  ...(["tool.invoked", "tool.started", "tool.completed", "tool.shell.command", "tool.shell.output_chunk"] as const),
  ...(["tool.file.applied", "tool.file.reverted", "tool.edit.proposed", "tool.edit.applied"] as const),
  ...(["tool.edit.reverted", "tool.multi_edit.proposed", "tool.multi_edit.applied"] as const),
  ...(["tool.multi_edit.reverted", "tool.file_write.proposed", "tool.file_write.applied"] as const),
  ...(["tool.file_write.reverted", "tool.file_read.completed", "tool.glob.completed", "tool.grep.completed"] as const),
  ...(["tool.todo_write.updated", "tool.http.requested", "tool.http.response"] as const),
  ...(["tool.web_fetch.requested", "tool.web_fetch.response"] as const),
  ...(["tool.web_search.requested", "tool.web_search.response"] as const),
  ...(["artifact.created", "artifact.referenced", "artifact.updated"] as const),
  ...(["plugin.loaded", "plugin.invoked", "skill.loaded", "skill.invoked", "skill.agentdoc_read"] as const),
  ...(["subagent.completed", "cost.tick", "debug.log", "task.updated"] as const),
]);

const sentence = (failure: FailureFacts): string => brief(runFailureOf(failure).message);

function totalsOf({ turns, cost_micros_usd, duration_ms }: Data): string {
  const totals = [
    typeof turns === "number" ? `${turns} turn${turns === 1 ? "" : "s"}` : "",
    typeof duration_ms === "number" ? `${(duration_ms / 1000).toFixed(1)} s` : "",
    typeof cost_micros_usd === "number" && cost_micros_usd > 0 ? dollars(cost_micros_usd) : "",
  ].filter((text) => text !== "");
  return totals.length === 0 ? "" : ` (${totals.join(", ")})`;
}

/** The lines of a text; an empty text has none. */
const textOf = (value: unknown): string[] =>
  typeof value === "string" && value.trim() !== "" ? value.trimEnd().split("\n").map(terminalSafe) : [];
