import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";

/** A run that is only left to its maker for a moment is due sooner than this. */
const LATER_MS = 10_000;

/** Whether a queued run waits for something else, such as a subagent that asks a person, and must not be taken before its time. */
export async function isQueuedForLater(log: Pick<Log, "rows">, { run_id, status }: StoredRun): Promise<boolean> {
  if (status !== "queued") return false;
  const row = await log.rows.find("queue", run_id);
  return row !== undefined && row.worker_id === null && row.due_at > Date.now() + LATER_MS;
}

/** The earliest time for which a run is queued that waits for something else. */
export const laterFrom = (at: number): number => at + 2 * LATER_MS;
