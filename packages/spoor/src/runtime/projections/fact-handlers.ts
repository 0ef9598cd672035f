import { countDiff, type LineCounts, writtenLines } from "@spoor/protocol/write";
import type { FactChanges, RunExecutor, RunFacts, RunStatus } from "../../log/records.ts";
import { type Data, hasEnded, type Memory, openRequests, pausesWithoutWorker } from "./fact-memory.ts";
import { oneLine } from "./run-now.ts";

type Handler = (memory: Memory, data: Data, at: number) => FactChanges | undefined;

/** How each type changes the facts of a run's row, beside `state` and `now`. */
export const factHandlers: Readonly<Record<string, Handler>> = {
  "run.created": (memory, data) => {
    memory.kind = text(data.kind) ?? memory.kind;
    return {
      status: data.status === "awaiting_approval" ? "awaiting_approval" : "queued",
      ...texts(data, ["title", "model", "workspace_path", "parent_run_id", "prior_run_id", "renormalized_from_run_id"]),
    };
  },
  "run.resumed_from_event": (_, data) => ({
    ...(text(data.from_run_id) !== undefined && { prior_run_id: text(data.from_run_id) as string }),
    ...(text(data.from_step_id) !== undefined && { prior_step_id: text(data.from_step_id) as string }),
    ...counts(data, { prior_cost_micros_usd: "prior_cost_micros_usd", from_sequence: "prior_sequence" }),
  }),
  "run.awaiting_approval": () => ({ status: "awaiting_approval" }),
  "run.queued": () => ({ status: "queued", parked: null, worker_id: null, executor: null }),
  "run.started": (memory, data) => {
    memory.hasStarted = true;
    const { executor } = data;
    return {
      status: "running",
      parked: null,
      launcher_id: text(data.launcher_id) ?? null,
      ...texts(data, ["worker_id"]),
      ...counts(data, { attempt: "attempt" }),
      ...(isExecutor(executor) && { executor }),
    };
  },
  "run.paused": ({ kind }) => ({
    paused: true,
    ...(pausesWithoutWorker(kind) && { status: "queued", worker_id: null, executor: null }),
  }),
  "run.unpaused": () => ({ paused: null }),
  "run.finished": (memory, data, at) => end(memory, "completed", data, at),
  "run.failed": (memory, data, at) => end(memory, "failed", data, at),
  "run.cancelled": (memory, data, at) => end(memory, "cancelled", data, at),
  "gap.run_disconnected": ({ facts }, { action }) =>
    action === "requeued" ? { attempt: (facts.attempt ?? 1) + 1, executor: null, worker_id: null } : undefined,

  "session.started": (_, { native_session_id: id, parent_run_id }) => ({
    ...(typeof id === "string" && !id.startsWith("transient-") && { native_session_id: id }),
    ...(text(parent_run_id) !== undefined && { parent_run_id: text(parent_run_id) as string }),
  }),
  "session.ended": (_, data) => ({ ...costOf(data, "cost_micros_usd"), ...tokensOf(data, "") }),
  "turn.started": (memory, data) => {
    memory.isRetried = false;
    memory.calls = 0;
    memory.writes.clear();
    return { turns: (memory.facts.turns ?? 0) + 1, ...texts(data, ["model"]) };
  },
  "assistant.final_answer": (_, { summary }) =>
    text(summary) ? { result: oneLine(text(summary) as string) } : undefined,
  "assistant.tool_call_proposed": (memory, data) => {
    if (data.kind === "file_write") memory.writes.set(callOf(data), data.input);
    return undefined;
  },
  "tool.invoked": (memory) => {
    memory.calls += 1;
    return undefined;
  },
  "policy.model_rewrote": (_, { to_model }) => (text(to_model) ? { model: text(to_model) as string } : undefined),
  "limit.retry_scheduled": (memory) => {
    memory.isRetried = true;
    return undefined;
  },
  "cost.tick": (_, data) => ({
    ...costOf(data, "cumulative_cost_micros_usd"),
    ...tokensOf(data, "cumulative_"),
  }),

  "approval.requested": (memory, { approval_id }) => ask(memory, memory.approvals, approval_id),
  "input.requested": (memory, { interaction_id }) => ask(memory, memory.questions, interaction_id),
  "approval.resolved": (memory, { approval_id }) => answer(memory, memory.approvals, approval_id),
  "approval.timed_out": (memory, { approval_id }) => answer(memory, memory.approvals, approval_id),
  "user.message": (memory, { interaction_id, text: said, via }) => {
    if (interaction_id !== undefined) return answer(memory, memory.questions, interaction_id);
    const title = via === "prompt" && memory.facts.title === undefined ? titleOf(said) : undefined;
    return title === undefined ? undefined : { title };
  },

  "tool.file.patch": (memory, data) => {
    const { files, facts } = memory;
    const { path, artifact_id, artifact_status, before_existed } = data;
    if (typeof path !== "string" || artifact_status === "proposed" || data.operation === "propose") return undefined;
    // The stored patch has been counted by the same program that stores it.
    const lines = artifact_id === undefined ? toldLines(memory, data) : undefined;
    return files.add(inWorkspace(path, facts), callOf(data), lines, before_existed !== false);
  },
  "tool.file.deleted": ({ files, facts }, data) =>
    typeof data.path === "string" ? files.add(inWorkspace(data.path, facts), callOf(data)) : undefined,
  "artifact.created": ({ files }, data) => {
    const { kind, path, status, attribution, inverse_of, additions, deletions, before_existed } = data;
    const isOwn = kind === "patch" && attribution !== "outside" && inverse_of === undefined && status !== "proposed";
    if (!isOwn || typeof path !== "string") return undefined;
    const lines = { additions: Number(additions ?? 0), deletions: Number(deletions ?? 0) };
    return files.add(path, callOf(data), lines, before_existed !== false);
  },
};

/** Output of the model: the agent has its answer, or does not need one. */
export const newOutput: ReadonlySet<string> = new Set([
  "turn.started",
  "assistant.message_started",
  "assistant.thinking_started",
  "assistant.tool_call_started",
  "assistant.tool_call_proposed",
  "assistant.image_output",
]);

function end(memory: Memory, status: RunStatus, data: Data, at: number): FactChanges {
  memory.approvals.clear();
  memory.questions.clear();
  memory.unseen = 0;
  return {
    ...{ status, ended_at: at, pending: null, parked: null, paused: null, cancelling: null },
    ...(typeof data.code === "string" && { error_code: data.code }),
    ...endWords(status, data),
    ...counts(data, { turns: "turns", cost_micros_usd: "cost_micros_usd" }),
  };
}

/** Why the run did not succeed. A run that did keeps its last words. */
function endWords(status: RunStatus, { message, error, reason, by }: Data): FactChanges {
  if (status === "completed") return {};
  const why =
    status === "failed" ? (text(message) ?? text(error)) : (text(reason) ?? (text(by) && `Cancelled by ${by}.`));
  return { result: why === undefined ? null : oneLine(why) };
}

function ask(memory: Memory, open: Set<string>, id: unknown): FactChanges | undefined {
  if (hasEnded(memory.facts)) return undefined;
  open.add(String(id));
  // A run of ours holds no process while it waits.
  const isParked = memory.kind !== undefined && memory.kind !== "agent" && memory.hasStarted;
  return {
    status: "awaiting_approval",
    pending: openRequests(memory),
    ...(isParked && { parked: true, worker_id: null, executor: null }),
  };
}

function answer(memory: Memory, open: Set<string>, id: unknown): FactChanges | undefined {
  if (!open.delete(String(id))) {
    if (memory.unseen === 0) return undefined;
    memory.unseen -= 1;
  }
  const pending = openRequests(memory);
  if (pending > 0 || hasEnded(memory.facts)) return { pending };
  return { pending, status: memory.hasStarted ? "running" : "queued", parked: null };
}

function costOf(data: Data, field: string): FactChanges | undefined {
  const cost = data[field];
  if (typeof cost !== "number") return undefined;
  return { cost_micros_usd: cost, ...texts(data, ["cost_source"]) };
}

const tokenFacts = ["input_tokens", "output_tokens", "cached_input_tokens", "thinking_tokens"] as const;

const tokensOf = (data: Data, prefix: string): FactChanges =>
  counts(data, Object.fromEntries(tokenFacts.map((name) => [`${prefix}${name}`, name])));

const isExecutor = (value: unknown): value is RunExecutor =>
  value === "worker" || value === "process" || value === "cli";

/** Agents often name files by their whole path, patches by the path in the workspace. */
function inWorkspace(path: string, { workspace_path: root }: RunFacts): string {
  return root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path.replace(/^\.\//, "");
}

/** The lines that the agent tells of: by a diff, or by the content of a new file. */
function toldLines({ writes }: Memory, data: Data): LineCounts | undefined {
  const { diff, before_existed, bytes_written } = data;
  if (typeof diff === "string") return countDiff(diff);
  const input = writes.get(callOf(data));
  const additions = before_existed === false ? writtenLines(input, bytes_written) : undefined;
  return additions === undefined ? undefined : { additions, deletions: 0 };
}

const callOf = ({ tool_call_id }: Data): string => text(tool_call_id) ?? "";

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const texts = (data: Data, names: readonly (keyof RunFacts)[]): FactChanges =>
  Object.fromEntries(names.flatMap((name) => (text(data[name]) === undefined ? [] : [[name, data[name]]])));

const counts = (data: Data, names: Readonly<Record<string, keyof RunFacts>>): FactChanges =>
  Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => (typeof data[from] === "number" ? [[to, data[from]]] : [])),
  );

/** The first line that is not blank, cut to a length that fits in a list. */
export function titleOf(prompt: unknown): string | undefined {
  if (typeof prompt !== "string") return undefined;
  const line = prompt
    .split("\n")
    .find((each) => each.trim() !== "")
    ?.trim();
  if (line === undefined) return undefined;
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
}
