import type { Effect } from "../../log/effects.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { headStartOf } from "../approvals/resolve-waiting.ts";
import { commitEvents } from "../commit.ts";
import { type Place, placeOf, refusalOf } from "../lifecycle/status.ts";
import { cancelIdleRun } from "../recovery/cancel-idle.ts";
import { CommandError } from "./command-error.ts";

/** A command for a run, as far as it concerns runs that no process performs. */
export interface IdleCommand {
  kind: string;
  by: string;
  reason?: string | undefined;
  /** The rows of the command, which is done with this commit. */
  effects: readonly Effect[];
}

/**
 * Carries out a command for a run that no process performs: cancels it, or queues a paused run again. Returns false if a
 * process performs the run and must be told. The commit compares the run's state and throws `conflict` or `fenced` if it
 * has changed.
 *
 * @throws {CommandError} if the command does not fit the state of the run.
 */
export async function actOnIdleRun(log: Log, run: StoredRun, command: IdleCommand): Promise<boolean> {
  const { kind } = command;
  const place = placeOf(run);
  const isIdle =
    place === "queued" || place === "waiting" || place === "parked" || (place === "paused" && run.status === "queued");
  // What a process performs, it judges itself: it knows best whether it is paused.
  if (!isIdle) return false;
  refuse(kind, place, run);
  if (kind === "cancel") await cancelIdleRun(log, run, command);
  else if (kind === "unpause") await queueAgain(log, run, command);
  else throw new CommandError("not_running", `The run ${run.run_id} does not run: it is ${run.status}.`);
  return true;
}

function refuse(kind: string, place: Place, { run_id, status }: StoredRun): void {
  if (kind !== "pause" && kind !== "unpause") return;
  const refusal = refusalOf(kind, place);
  if (refusal === "paused") throw new CommandError("paused", `The run ${run_id} is paused already.`);
  if (refusal === "not_paused")
    throw new CommandError("not_paused", `The run ${run_id} is not paused: it is ${status}.`);
  if (refusal !== undefined) throw new CommandError("not_running", `The run ${run_id} does not run: it is ${status}.`);
}

/** The next worker that takes the run writes `run.started` and `run.unpaused`. */
async function queueAgain(log: Log, run: StoredRun, { effects }: IdleCommand): Promise<void> {
  const at = Date.now();
  await commitEvents(log, {
    run,
    epoch: run.epoch,
    at,
    events: [["run.queued", { resume: true, ...headStartOf(run, at) }]],
    when: { status: "queued", paused: true },
    effects,
  });
}
