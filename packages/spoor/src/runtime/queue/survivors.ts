import type { Log } from "../../log/log.ts";
import { isOver, type RunStatus, type StoredRun } from "../../log/records.ts";
import { createWorkerCheck } from "../worker.ts";

/**
 * The runs whose process lives although the worker that started it is gone, such as a server that was restarted. `own` is
 * the worker that asks and has started nothing yet, so a run of its own is from before.
 */
export async function findSurvivors(log: Log, own: string): Promise<string[]> {
  const launched = await launchedRuns(log);
  if (launched.length === 0) return [];
  const isGone = createWorkerCheck();
  const isLeft = ({ launcher_id = "" }: StoredRun) => launcher_id === own || isGone(launcher_id) === true;
  return launched.filter((run) => isLeft(run) && isGone(run.worker_id ?? "") === false).map(({ run_id }) => run_id);
}

/** Those of the runs that nobody performs any more. Recovery ends or queues a run whose process was killed. */
export async function endedOf(log: Log, run_ids: Iterable<string>): Promise<string[]> {
  const ended: string[] = [];
  for (const run_id of run_ids) {
    const run = await log.run(run_id);
    if (!run || isOver(run) || run.worker_id === undefined) ended.push(run_id);
  }
  return ended;
}

async function launchedRuns(log: Log): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  for (const status of ["running", "awaiting_approval"] satisfies RunStatus[]) {
    let before: string | undefined;
    for (let more = true; more; ) {
      const page = await log.runs({ status, limit: 200, ...(before !== undefined && { before }) });
      found.push(...page.runs.filter((run) => run.executor === "process" && run.launcher_id !== undefined));
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
    }
  }
  return found;
}
