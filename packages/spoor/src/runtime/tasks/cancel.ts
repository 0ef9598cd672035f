import { LogError } from "../../log/errors.ts";
import type { StoredRun } from "../../log/records.ts";
import { endRun } from "../recovery/end-run.ts";
import type { TaskContext } from "./context.ts";
import { placeOf } from "./status.ts";

/** Who cancels a run, and why. */
export interface CancelOptions {
  reason?: string | undefined;
}

/**
 * Cancels a run that no process performs: queued, waiting before its start, parked or paused without a worker. Returns the
 * run as it is then; undefined if a process performs it, so that a command must reach that process.
 */
export async function cancelIdleRun(
  { log, by }: TaskContext,
  run_id: string,
  { reason }: CancelOptions = {},
): Promise<StoredRun | undefined> {
  for (;;) {
    const run = await log.run(run_id);
    if (!run || !isIdle(run)) return undefined;
    try {
      const epoch = await log.claim(run_id);
      await endRun(log, run, epoch, {
        at: Date.now(),
        cancelled: { by, ...(reason !== undefined && { reason }) },
        when: { status: run.status, pending: run.pending ?? null, paused: run.paused ?? null },
      });
      return await log.run(run_id);
    } catch (error) {
      // A worker took the run, or somebody answered, in the meantime: look again.
      if (!(error instanceof LogError && (error.code === "fenced" || error.code === "conflict"))) throw error;
    }
  }
}

function isIdle(run: StoredRun): boolean {
  const place = placeOf(run);
  return (
    place === "queued" || place === "waiting" || place === "parked" || (place === "paused" && run.status === "queued")
  );
}
