import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { isOver, type StoredRun } from "../../log/records.ts";
import { type Continuation, checkChanges, type TaskSpec } from "../specification/spec.ts";
import type { TaskContext } from "./context.ts";
import { taskEffect } from "./create.ts";
import { derivedSpecOf } from "./derive-spec.ts";
import { makeRun, type NewTaskRun } from "./new-run.ts";
import { readTask } from "./read-task.ts";
import { type KeyedRequest, once } from "./requests.ts";
import { TaskError } from "./task-error.ts";

/** What a caller may say about a new run. */
export interface StartOptions {
  reason?: string | undefined;
  request?: KeyedRequest | undefined;
  /** For how many milliseconds other workers leave the run to the caller, who performs it. */
  headStartMs?: number | undefined;
  /** The id of the new run. Made if absent. */
  run_id?: string | undefined;
  /** The id of a new task. Made if absent. */
  task_id?: string | undefined;
}

/** The ways to a new run that goes on from an earlier one. */
export const followUps = ["retry", "resume", "continue", "fork", "retry-from-turn"] as const;

/** A way to a new run. */
export type FollowUp = (typeof followUps)[number];

/** What a caller may say about a run that goes on from an earlier one. */
export interface FollowUpOptions extends StartOptions {
  /** What the agent is asked now. `continue` needs it. */
  prompt?: string | undefined;
  /** Fields of the specification that differ from those of the earlier run. */
  changes?: Partial<TaskSpec> | undefined;
  /** The first turn to repeat, for `retry-from-turn`. */
  turn?: number | undefined;
}

/**
 * Starts a task: its run is queued, or waits for an approval if a rule asks for one. A worker performs it: a server with
 * `workers`, `spoor work`, or a `Worker` of this program. A task that has run before is repeated, and carries its cost on.
 *
 * @throws {TaskError} `run_active` if a run of the task is not over.
 * @example
 * const { run_id: started } = await startTask({ log, directory: "./runs", by: "nightly" }, "task_01K9ZC0000SP00R00000000000");
 * for await (const { type } of followEnvelopes(log, { run_id: started })) console.log(type);
 */
export async function startTask(context: TaskContext, task_id: string, options: StartOptions = {}): Promise<StoredRun> {
  return made(context, options, async (keyed) => {
    const { log } = context;
    const task = await log.task(task_id);
    if (!task) throw new TaskError("task_not_found", `There is no task ${task_id}.`);
    if (task.spec === undefined) {
      const message = `The task ${task_id} only groups recorded runs. Retry one of them: \`spoor retry ${task.latest_run_id}\`.`;
      throw new TaskError("not_supported", message);
    }
    const prior = task.latest_run_id === undefined ? undefined : await log.run(task.latest_run_id);
    const continues = prior && ({ run_id: prior.run_id, mode: "retry", turn: 1 } as const);
    const spec = JSON.parse(task.spec) as TaskSpec;
    return { task_id, spec, prior, continues, reason: options.reason, effects: (run_id) => keyed({ task_id, run_id }) };
  });
}

/**
 * Creates a task and its first run in one commit.
 *
 * @throws {ValidationError} if the specification is wrong. {TaskError} if the run cannot start.
 * @example
 * const tasks = { log, directory: "./runs", by: "nightly" };
 * const { run_id: first } = await createAndStart(tasks, { kind: "shell", command: "npm test" });
 */
export async function createAndStart(
  context: TaskContext,
  given: TaskSpec,
  options: StartOptions = {},
): Promise<StoredRun> {
  const spec = readTask(given);
  const { task_id = prefixed("task", newUlid()) } = options;
  return made(context, options, async (keyed) => ({
    task_id,
    spec,
    reason: options.reason,
    effects: (run_id) => keyed({ task_id, run_id }),
    isNewTask: true,
  }));
}

/**
 * Makes a run that repeats an earlier one or goes on from it: in the same task, or in one of its own for a fork.
 *
 * @throws {TaskError} `run_active` if the earlier run is not over, `not_supported` if it has no session to go on with.
 * @throws {ValidationError} if the new prompt or a change is wrong, or holds a secret.
 * @example
 * const tasks = { log, directory: "./runs", by: "ann" };
 * const { run_id: next } = await followUp(tasks, "continue", run_id, { prompt: "Now write the documentation." });
 */
export async function followUp(
  context: TaskContext,
  way: FollowUp,
  run_id: string,
  options: FollowUpOptions = {},
): Promise<StoredRun> {
  return made(context, options, async (keyed) => {
    const prior = await context.log.run(run_id);
    if (!prior) throw new TaskError("run_not_found", `There is no run ${run_id}.`);
    const planned = await planFollowUp(context, way, prior, options);
    const { task_id } = planned;
    return { ...planned, effects: (id) => keyed({ task_id, run_id: id }) };
  });
}

/** The run that repeats an earlier one or goes on from it. */
export async function planFollowUp(
  { log }: TaskContext,
  way: FollowUp,
  prior: StoredRun,
  options: FollowUpOptions,
): Promise<Planned> {
  const continues = continuationOf(way, prior, options);
  const derived = { ...(await derivedSpecOf(log, prior)), ...options.changes };
  const prompt = options.prompt ?? options.changes?.prompt ?? (continues.mode === "retry" ? undefined : CONTINUE);
  const spec: TaskSpec = prompt === undefined ? derived : { ...derived, prompt };
  requireConversation(spec, continues, prior);
  checkChanges(spec.kind, { ...options.changes, prompt: options.prompt ?? options.changes?.prompt });
  const isNewTask = continues.mode === "fork";
  const task_id = isNewTask ? prefixed("task", newUlid()) : prior.task_id;
  return { task_id, spec, prior, continues, reason: options.reason, isNewTask };
}

/** What an agent is asked if it goes on without a new prompt. */
const CONTINUE = "Continue with the task where you stopped.";

type Planned = NewTaskRun & { isNewTask?: boolean };

async function made(
  context: TaskContext,
  { request, headStartMs, run_id }: StartOptions,
  plan: (keyed: Parameters<Parameters<typeof once>[2]>[0]) => Promise<Planned>,
): Promise<StoredRun> {
  const { log } = context;
  const { made: ids } = await once(log, request, async (keyed) => {
    const { isNewTask = false, ...wanted } = await plan(keyed);
    const at = Date.now();
    const before = isNewTask ? [taskEffect(wanted.task_id, wanted.spec, at)] : await adopted(context, wanted, at);
    const run = await makeRun(context, { ...wanted, before, headStartMs, run_id });
    return { task_id: run.task_id, run_id: run.run_id };
  });
  return (await log.run(ids.run_id as string)) as StoredRun;
}

/** A task that only grouped recorded runs gets the specification of the run that is repeated. */
async function adopted({ log }: TaskContext, { task_id, spec }: Planned, at: number) {
  const task = await log.rows.find("tasks", task_id);
  if (!task || task.spec !== null) return [];
  return [
    {
      do: "update" as const,
      table: "tasks" as const,
      key: task_id,
      when: { spec: null },
      set: { spec: JSON.stringify(spec), kind: spec.kind, updated_at: at },
      ifDiffers: "keep" as const,
    },
  ];
}

function continuationOf(way: FollowUp, prior: StoredRun, { prompt, turn }: FollowUpOptions): Continuation {
  const { run_id } = prior;
  if (way !== "fork" && !isOver(prior)) {
    const message = `The run ${run_id} is not over: it is ${prior.status}. Wait for it, or cancel it first.`;
    throw new TaskError("run_active", message, { run_id, task_id: prior.task_id });
  }
  if (way === "retry") return { run_id, mode: "retry", turn: 1 };
  if (way === "continue" && (prompt === undefined || prompt.trim() === ""))
    throw new TaskError("invalid", "prompt is missing: say what the agent shall do now.");
  if (way !== "retry-from-turn") return { run_id, mode: way };
  const turns = prior.turns ?? 0;
  if (turn === undefined || !Number.isSafeInteger(turn) || turn < 1 || turn > Math.max(turns, 1))
    throw new TaskError(
      "invalid",
      `turn must be a whole number from 1 to ${Math.max(turns, 1)}, the turns of ${run_id}.`,
    );
  return { run_id, mode: "retry", turn };
}

function requireConversation({ kind }: TaskSpec, { mode, turn = 1 }: Continuation, prior: StoredRun): void {
  if (mode === "retry" && turn === 1) return;
  if (kind === "agent_loop") return;
  if (kind !== "agent")
    throw new TaskError("not_supported", `A run of kind ${kind} has no conversation. It can only be retried.`);
  if (mode === "retry") {
    const message = `The agent ${prior.agent} keeps its conversation itself and cannot go back to turn ${turn}. Retry from turn 1, or continue.`;
    throw new TaskError("not_supported", message);
  }
  if (prior.native_session_id === undefined)
    throw new TaskError(
      "not_supported",
      `The run ${prior.run_id} has no session that can be continued. Retry it instead.`,
    );
}

const newUlid = createUlidSource();
