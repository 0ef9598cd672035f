import type { EnvelopeType } from "@spoor/protocol";
import { type FailureFacts, runFailureOf } from "@spoor/protocol/write";
import type { Line } from "../output/line.ts";
import { brief } from "../render/brief.ts";
import { gitSettingsLines } from "./git-settings.ts";

type Data = Readonly<Record<string, unknown>>;

/** A line, or text of any length that is wrapped and indented, or a line that is shown only if there is room for all of it. */
export type Shown = Line | { text: string; indent: string } | { whole: Line; otherwise: Shown[] };

/** What is shown of a type besides its AgentEvent, from its payload. */
export const linesByType: Readonly<Partial<Record<EnvelopeType, (data: Data) => Shown[]>>> = {
  "user.message": ({ text }) => textOf(text, "❯ "),
  "user.attachment": ({ kind, name }) => [["❯", `[${brief(name ?? kind)}]`]],
  "approval.requested": ({ approval_id, action, kind, detail, summary }) => {
    const asks = { text: "▲ needs you:", role: "yellow" } as const;
    const how = {
      text: `(spoor approve …${String(approval_id).slice(-6)})`,
      role: "dim",
      leaves: 1,
      join: "  ",
    } as const;
    // The detail of a task says how it is run; its summary says what it shall do.
    const isTask = kind === "task";
    const what = String(isTask ? [summary, detail].filter(Boolean).join("\n") : (detail ?? summary ?? "")).trim();
    const name = isTask ? "may a task start?" : brief(action ?? kind);
    const otherwise: Shown[] = [[asks, { text: name, shrinks: "end" }, how], ...textOf(what)];
    // A person decides about the whole action, so that it is never cut.
    return what === "" || what.includes("\n") ? otherwise : [{ whole: [asks, what, how], otherwise }];
  },
  "approval.resolved": ({ decision, by, comment }) => [
    [
      { text: `▲ ${decision === "rejected" ? "denied" : brief(decision)}`, role: "yellow" },
      { text: `${by ? `by ${brief(by)}` : ""}${comment ? `: ${brief(comment)}` : ""}`, role: "dim", shrinks: "end" },
    ],
  ],
  "approval.timed_out": ({ after_seconds }) => [
    [
      { text: "▲ denied", role: "yellow" },
      { text: `nobody answered for ${after_seconds} s`, role: "dim" },
    ],
  ],
  "input.requested": ({ question }) => [[{ text: "▲ asks:", role: "yellow" }], ...textOf(question)],
  "policy.model_rewrote": ({ from_model, to_model }) => [
    note(`model changed from ${brief(from_model)} to ${brief(to_model)}`),
  ],
  "policy.git_settings_changed": (data) => gitSettingsLines(data).map((line): Line => [`! ${line}`]),
  "policy.hook_completed": ({ hook, command, outcome, decision, reason }) => [
    note(
      `hook ${brief(command)} (${brief(hook)}): ${brief(outcome === "ok" ? (decision ?? "ok") : outcome)}${reason ? `: ${brief(reason)}` : ""}`,
    ),
  ],
  "plugin.failed": ({ plugin_name, error }) => [failure(`plugin ${brief(plugin_name)}: ${brief(error)}`)],
  "assistant.image_output": ({ mime }) => [note(`[image ${brief(mime ?? "")}]`)],
  "error.tool_unavailable": ({ tool_name, reason }) => [
    failure(`${brief(tool_name)} is not available: ${brief(reason)}`),
  ],
  "error.model_capability_missing": (data) => [failure(`the model lacks a capability: ${brief(JSON.stringify(data))}`)],
  "error.upstream": ({ message }) => [failure(brief(message))],
  "error.auth": ({ message, guidance }) => [failure(`${brief(message)}${guidance ? ` ${brief(guidance)}` : ""}`)],
  "error.rate_limit": ({ message }) => [failure(`rate limit: ${brief(message)}`)],
  "error.context_exceeded": ({ used_tokens, max_tokens }) => [
    failure(sentence({ type: "context_exceeded", usedTokens: Number(used_tokens), maxTokens: Number(max_tokens) })),
  ],
  "error.crash": ({ exit_code, stderr }) => [
    failure(sentence({ type: "crash", exitCode: Number(exit_code), stderr: String(stderr) })),
    ...textOf(stderr),
  ],
  "error.reported": ({ code, message }) => [failure(`${brief(code)}: ${brief(message)}`)],
  "limit.context_warning": ({ pct_used }) => [note(`${pct_used} % of the context is used`)],
  "turn.limit_reached": ({ max_turns }) => [[`■ ${sentence({ type: "turn_limit", maxTurns: Number(max_turns) })}`]],
  "cost.budget_warning": () => [["! the budget is nearly spent"]],
  "cost.budget_exceeded": () => [["! the budget is spent"]],
  "run.awaiting_approval": () => [["■ the run waits for an approval"]],
  "run.paused": () => [["■ paused"]],
  "run.unpaused": () => [["■ goes on"]],
  "run.interrupted": () => [["■ interrupted"]],
  "run.aborted": () => [["■ aborted"]],
  "run.timed_out": ({ kind }) => [
    [`■ ${sentence({ type: "timeout", kind: kind === "inactivity" ? "inactivity" : "run" })}`],
  ],
  "run.resumed_from_event": ({ from_run_id }) => [[`■ continues ${brief(from_run_id)}`]],
};

const note = (text: string): Line => ["  ", { text, join: "", role: "dim", shrinks: "end" }];
const failure = (text: string): Line => [
  { text: "✗", role: "red" },
  { text, shrinks: "end" },
];

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

/** Text of several lines; an empty text has none. */
const textOf = (value: unknown, indent = "    "): Shown[] =>
  typeof value === "string" && value.trim() !== "" ? [{ text: value.trimEnd(), indent }] : [];
