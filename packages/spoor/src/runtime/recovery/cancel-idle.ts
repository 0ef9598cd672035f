import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { endRun } from "./end-run.ts";

/**
 * Cancels a run that no process performs: queued, waiting before its start, parked or paused without a worker. The commit
 * compares that this is still so; otherwise it throws `conflict` or `fenced`, and the caller looks again.
 */
export async function cancelIdleRun(
  log: Log,
  run: StoredRun,
  { by, reason, effects }: { by: string; reason?: string | undefined; effects: readonly Effect[] },
): Promise<void> {
  // Not claimed: that would fence a worker that has just taken the run, even if this commit is refused then.
  const isEnded = await endRun(log, run, run.epoch, {
    at: Date.now(),
    cancelled: { by, ...(reason !== undefined && { reason }) },
    when: { status: run.status, pending: run.pending ?? null, paused: run.paused ?? null },
    effects,
  });
  if (!isEnded) throw new LogError("conflict", `The run ${run.run_id} has ended already.`, { table: "runs" });
}
