import type { Log, LogDraft } from "../../log/log.ts";
import type { Claim } from "../../log/queue.ts";
import { effectsOf } from "../projections/index.ts";
import type { OwnRun } from "./own-run.ts";

/**
 * Parks a run of ours that waits for a person: writes what it asks and gives the lease back in one commit, so that it holds no
 * process. With the last answer it is queued again.
 */
export async function parkRun(
  log: Log,
  { run, epoch }: Claim,
  { drafts, pending }: { drafts: readonly LogDraft[]; pending: number },
): Promise<void> {
  await log.append([
    {
      run_id: run.run_id,
      epoch,
      drafts,
      facts: { status: "awaiting_approval", parked: true, pending, worker_id: null, executor: null },
      effects: [...effectsOf(drafts, run), { do: "delete", table: "queue", key: run.run_id }],
    },
  ]);
}

/**
 * Pauses a run of ours between two steps and gives the lease back. It is queued again when it is unpaused. The command that
 * asked for it is acknowledged in the same commit.
 */
export const pauseRun = (own: OwnRun, { run }: Claim): Promise<void> =>
  own.commit([["run.paused", own.told("pause")]], { status: "queued", paused: true, worker_id: null, executor: null }, [
    { do: "delete", table: "queue", key: run.run_id },
  ]);
