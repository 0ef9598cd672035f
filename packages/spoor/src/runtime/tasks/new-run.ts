import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { instant } from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { FactChanges, NewRun, StoredRun } from "../../log/records.ts";
import { type Commit, commitEvents, type RunEvent } from "../commit.ts";
import { lastModelStep } from "../projections/step-id.ts";
import { type Continuation, type TaskSpec, titleOf } from "../specification/spec.ts";
import { type Hold, holdWorkspace, removeWorkspace, WorkspaceError } from "../workspace/index.ts";
import type { TaskContext } from "./context.ts";
import { type Gate, gateOf } from "./gate.ts";
import { asTaskError, choosePlace, type Place } from "./place.ts";
import { requireRunnable } from "./runnable.ts";
import { TaskError } from "./task-error.ts";

/** A run to be made: of which task, what it does, and what it continues. */
export interface NewTaskRun {
  task_id: string;
  run_id?: string | undefined;
  spec: TaskSpec;
  /** The run that it continues or repeats. */
  prior?: StoredRun | undefined;
  continues?: Continuation | undefined;
  /** The run whose subagent performs it, in the folder that this run holds. */
  parent?: StoredRun | undefined;
  /** The caller's words. */
  reason?: string | undefined;
  /** For how many milliseconds other workers leave the run to its maker. */
  headStartMs?: number | undefined;
  /** The row of a new task. */
  before?: readonly Effect[];
  /** Further rows of the same commit, such as the key of the request. */
  effects?(run_id: string): readonly Effect[];
}

/**
 * Makes a run in one commit: it is queued, or waits for an approval if a rule gates the task. The commit compares that the
 * task has no other active run and that the workspace is free.
 */
export async function makeRun(context: TaskContext, wanted: NewTaskRun): Promise<StoredRun> {
  const { log } = context;
  const { hold, place, commit } = await planRun(context, wanted);
  try {
    if (wanted.parent) await commitEvents(log, commit([]));
    else await holdWorkspace(log.rows, hold, (held) => commitEvents(log, commit(held)));
  } catch (error) {
    if (place.isNew) await removeWorkspace(place, context.directory);
    throw await refusalOf(context, error, wanted.task_id);
  }
  return (await log.run(hold.run_id)) as StoredRun;
}

/** A run that can be made: what its commit needs. */
export interface PlannedRun {
  hold: Hold;
  place: Place;
  /** `held` are the effects by which it takes its folder. */
  commit(held: readonly Effect[]): Commit;
}

/** Finds the place of a run, and throws if it can already be seen not to start. */
export async function planRun(context: TaskContext, wanted: NewTaskRun): Promise<PlannedRun> {
  const { task_id, prior, parent, reason } = wanted;
  const spec: TaskSpec = wanted.continues ? { ...wanted.spec, continues: wanted.continues } : wanted.spec;
  const { run_id = prefixed("run", newUlid()) } = wanted;
  const place = parent ? placeWith(parent) : await choosePlace(context, spec, run_id, prior);
  const hold = { run_id, path: place.path, mode: place.mode, share: place.isShared };
  const create: NewRun = {
    task_id,
    agent: agentOf(spec),
    kind: spec.kind,
    session_id: sessionOf(wanted.continues, prior) ?? prefixed("session", newUlid()),
  };
  try {
    await requireRunnable(context, spec, place, prior);
    const gate = await gateOf(context, spec, place, parent);
    const commit = (held: readonly Effect[]): Commit => ({
      run: { run_id, task_id, kind: spec.kind, workspace_path: place.path },
      create,
      epoch: 1,
      at: Date.now(),
      events: openingEvents({ ...wanted, spec, place, gate, prior, reason }),
      facts: factsOf({ spec, place, gate, prior, parent, continues: wanted.continues }),
      before: [...(wanted.before ?? []), ...held],
      effects: wanted.effects?.(run_id) ?? [],
    });
    return { hold, place, commit };
  } catch (error) {
    if (place.isNew) await removeWorkspace(place, context.directory);
    throw await refusalOf(context, error, task_id);
  }
}

const placeWith = ({ workspace_path = process.cwd() }: StoredRun): Place => ({
  path: workspace_path,
  mode: "in_place",
  isShared: false,
  isNew: false,
});

/** Our own loop is an agent like any other. */
const agentOf = ({ kind, agent }: TaskSpec): string => agent ?? (kind === "agent_loop" ? "loop" : kind);

interface Opening extends Pick<NewTaskRun, "spec" | "prior" | "parent" | "continues" | "reason" | "headStartMs"> {
  place: Place;
  gate: Gate | undefined;
}

function openingEvents({ spec, place, gate, prior, parent, continues, reason, headStartMs }: Opening): RunEvent[] {
  const { kind, model, priority = 0 } = spec;
  const title = titleOf(spec);
  const created = {
    kind,
    // A run without a model names no agent: nothing of an agent's contract is asked of it.
    ...((kind === "agent" || kind === "agent_loop") && { agent: agentOf(spec) }),
    status: gate ? "awaiting_approval" : "queued",
    ...(model !== undefined && { model }),
    workspace_path: place.path,
    workspace_mode: place.mode,
    ...(place.isShared && { workspace_shared: true }),
    ...(prior && { prior_run_id: prior.run_id }),
    ...(parent && { parent_run_id: parent.run_id }),
    ...(title !== undefined && { title }),
    spec,
  };
  const events: RunEvent[] = [["run.created", created]];
  if (prior) events.push(["run.resumed_from_event", resumedFrom(prior, continues, reason)]);
  if (!gate) {
    const due = headStartMs !== undefined && { due_at: instant(Date.now() + headStartMs) };
    return [...events, ["run.queued", { ...(priority !== 0 && { priority }), ...due }]];
  }
  return [...events, ["run.awaiting_approval", { reason: gate.reason }], ["approval.requested", gate.request]];
}

const resumedFrom = (prior: StoredRun, continues?: Continuation, reason?: string) => ({
  from_run_id: prior.run_id,
  from_sequence: prior.last_sequence,
  ...stepOf(prior, continues, "from_step_id"),
  reason: reason ?? continues?.mode ?? "retry",
  ...(continues?.turn !== undefined && { retry_from_turn: continues.turn }),
  prior_cost_micros_usd: costOf(prior),
});

function factsOf({ spec, place, gate, prior, parent, continues }: Opening): FactChanges {
  const title = titleOf(spec);
  return {
    status: gate ? "awaiting_approval" : "queued",
    workspace_path: place.path,
    ...(gate && { pending: 1 }),
    ...(parent && { parent_run_id: parent.run_id }),
    ...(title !== undefined && { title }),
    ...(spec.model !== undefined && { model: spec.model }),
    ...(prior && {
      prior_run_id: prior.run_id,
      prior_sequence: prior.last_sequence,
      ...stepOf(prior, continues, "prior_step_id"),
      prior_cost_micros_usd: costOf(prior),
    }),
  };
}

/** The last step of the earlier run that is kept. A run that begins anew keeps none. */
function stepOf(prior: StoredRun, continues: Continuation | undefined, field: "from_step_id" | "prior_step_id") {
  const { mode = "retry", turn = 1 } = continues ?? {};
  const step = lastModelStep({ turns: mode === "retry" ? turn - 1 : (prior.turns ?? 0) });
  return step === undefined ? {} : { [field]: step };
}

/** The cost of a run and of all runs it continues. */
const costOf = ({ cost_micros_usd = 0, prior_cost_micros_usd = 0 }: StoredRun): number =>
  cost_micros_usd + prior_cost_micros_usd;

/** A run that goes on with a conversation belongs to its session. */
const sessionOf = (continues: Continuation | undefined, prior?: StoredRun): string | undefined =>
  continues?.mode === "resume" || continues?.mode === "continue" ? prior?.session_id : undefined;

/** The commit compared what stood in the way; here it gets its name. */
async function refusalOf({ log }: TaskContext, error: unknown, task_id: string): Promise<unknown> {
  const isTask = error instanceof LogError && error.code === "conflict" && error.table === "tasks";
  const isPlace = error instanceof WorkspaceError && error.code === "workspace_busy";
  if (!isTask && !isPlace) return asTaskError(error);
  const task = await log.rows.find("tasks", task_id);
  const run_id = task?.active_run_id;
  if (typeof run_id === "string") {
    const message = `The task ${task_id} already has a run that is not over: ${run_id}. Wait for it, or cancel it first.`;
    return new TaskError("run_active", message, { run_id, task_id }, { cause: error });
  }
  return isPlace ? asTaskError(error) : new TaskError("task_not_found", `There is no task ${task_id}.`);
}

const newUlid = createUlidSource();
