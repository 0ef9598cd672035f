import type { Log } from "../../log/log.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import { createWorkerCheck } from "../worker.ts";

/**
 * Closes or requeues a run whose executor is known to be gone, so that nobody waits for it. Returns the run as it is then.
 */
export async function recoverIfGone(log: Log, run_id: string): Promise<StoredRun | undefined> {
  const run = await log.run(run_id);
  if (!run || isOver(run) || run.parked || run.worker_id === undefined) return run;
  if (createWorkerCheck()(run.worker_id) !== true) return run;
  // Loaded only when needed: it needs the whole event catalog.
  const { reconcile } = await import("../reconcile.ts");
  // Whoever sends a command decides what happens next.
  await reconcile(log, { successor: "none" });
  return log.run(run_id);
}

/** The run that took over from another: the newest one that continues it. */
export async function successorOf(log: Log, run: Pick<StoredRun, "run_id" | "task_id">): Promise<string | undefined> {
  const { runs } = await log.runs({ task_id: run.task_id, limit: 50 });
  return runs.find(({ prior_run_id }) => prior_run_id === run.run_id)?.run_id;
}
