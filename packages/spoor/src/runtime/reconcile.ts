import type { Log } from "../log/log.ts";
import { type RecoverOptions, recover } from "./recovery/recover.ts";

/** How lost runs are recognised and closed. */
export type ReconcileOptions = RecoverOptions;

/**
 * Recovers the runs whose producer died, so that every run has an end. A run that can be repeated is queued again; otherwise
 * open spans are closed, a gap event is written, and the run fails. Claiming a run fences its old producer in case it still
 * writes. Processes of such a run that are still alive are killed. Returns the ids of the runs that failed.
 *
 * @example
 * for (const run_id of await reconcile(log)) console.log(`${run_id} was closed: its process had died.`);
 */
export async function reconcile(log: Log, options: ReconcileOptions = {}): Promise<string[]> {
  const recovered = await recover(log, options);
  return recovered.filter(({ action }) => action === "failed").map(({ run }) => run.run_id);
}
