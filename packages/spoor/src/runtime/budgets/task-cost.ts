import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";

/** What the runs of a task have cost, in millionths of a dollar. */
export interface TaskCost {
  /** Each run counted once, and what the first run continues, which belongs to another task. */
  micros: number;
  runs: number;
}

/**
 * Adds up the cost of all runs of a task. Runs that were made from the tape of another run cost nothing.
 *
 * @example
 * const { micros } = await taskCost(log, "task_01K9ZC0000SP00R00000000000");
 * console.log(`$${micros / 1e6}`);
 */
export async function taskCost(log: Pick<Log, "runs">, task_id: string, except?: string): Promise<TaskCost> {
  let micros = 0;
  let count = 0;
  let first: StoredRun | undefined;
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await log.runs({ task_id, hide_renormalized: true, limit: 200, ...(before && { before }) });
    for (const run of page.runs) {
      first = run;
      if (run.run_id === except) continue;
      micros += run.cost_micros_usd ?? 0;
      count += 1;
    }
    before = page.runs.at(-1)?.run_id;
    more = page.more && before !== undefined;
  }
  return { micros: micros + (first?.prior_cost_micros_usd ?? 0), runs: count };
}
