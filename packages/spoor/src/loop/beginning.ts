import type { Envelope } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import { commitEvents } from "../runtime/commit.ts";
import { RunFactsFold } from "../runtime/projections/run-facts.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { specOf } from "../runtime/specification/spec-of.ts";
import { type Beginning, begunElsewhere, NotRebuildable, rebuildBefore } from "./rebuild.ts";

/** How a run begins: the conversation that it goes on with, and what the user says. */
export interface RunBeginning extends Beginning {
  /** Empty if the conversation ends with what the user said. */
  prompt: string;
  session: Extract<Signal, { kind: "session" }>;
}

/** Finds out how a run begins. If what it continues cannot be rebuilt, that is told, and the run begins anew. */
export async function beginningOf(execution: Execution, stored: readonly Envelope[]): Promise<RunBeginning> {
  const { log, directory, claim, spec } = execution;
  const { continues } = spec;
  const id = claim.run.session_id ?? claim.run.run_id;
  const fresh = async (): Promise<RunBeginning> => ({
    ...{ ...begunElsewhere(spec), session: { kind: "session", id } },
    prompt: [await firstPrompt(execution), textOf(spec)].filter((text) => text !== "").join("\n\n"),
  });
  if (!continues) return { ...begunElsewhere(spec), prompt: textOf(spec), session: { kind: "session", id } };
  if (stored.some(isFreshStart)) return fresh();
  try {
    const before = await rebuildBefore(log, directory, continues, claim.run.prior_sequence);
    const prompt = await promptOf(execution);
    return { ...before, prompt, session: await sessionOf(execution, before.turns) };
  } catch (error) {
    if (!(error instanceof NotRebuildable)) throw error;
    await tellFreshStart(execution, error.message);
    return fresh();
  }
}

const isFreshStart = ({ type, data }: Envelope): boolean =>
  type === "gap.run_disconnected" && data.action === "start_fresh";

/** The data of the gap that says that a run begins anew. */
export const freshStart = (message: string): Record<string, unknown> => ({
  reason: "resume_checkpoint_unavailable",
  action: "start_fresh",
  message,
});

async function tellFreshStart({ log, claim }: Execution, message: string): Promise<void> {
  const { run, epoch } = claim;
  await commitEvents(log, {
    ...{ run, epoch, at: Date.now(), fold: new RunFactsFold(run) },
    events: [["gap.run_disconnected", freshStart(message)]],
  });
}

/** A retry from a later turn repeats no prompt: the conversation holds it. */
async function promptOf({ log, spec }: Execution): Promise<string> {
  const { continues } = spec;
  const prompt = textOf(spec);
  if (continues?.mode !== "retry" || (continues.turn ?? 1) === 1) return prompt;
  const prior = await log.run(continues.run_id);
  const before = prior && (await specOf(log, prior));
  return before && textOf(before) === prompt ? "" : prompt;
}

/** What the task was first about, for a run that continues it and lost the conversation. */
async function firstPrompt({ log, claim, spec }: Execution): Promise<string> {
  const task = await log.rows.find("tasks", claim.run.task_id);
  const first = typeof task?.spec === "string" ? textOf(JSON.parse(task.spec) as TaskSpec) : "";
  return first === textOf(spec) ? "" : first;
}

async function sessionOf({ log, claim, spec }: Execution, turns: number): Promise<RunBeginning["session"]> {
  const { continues } = spec;
  const id = claim.run.session_id ?? claim.run.run_id;
  const prior = continues && (await log.run(continues.run_id));
  if (continues?.mode === "fork") {
    const forkedFrom = prior?.native_session_id ?? prior?.session_id;
    return { kind: "session", id, ...(forkedFrom !== undefined && { forkedFrom }) };
  }
  return turns === 0 ? { kind: "session", id } : { kind: "session", id, resumed: true, priorTurns: turns };
}

const textOf = ({ prompt = "" }: TaskSpec): string => (typeof prompt === "string" ? prompt : prompt.join("\n\n"));
