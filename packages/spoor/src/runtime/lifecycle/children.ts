import type { Log } from "../../log/log.ts";
import { isOver, type StoredRun } from "../../log/records.ts";

/** The runs of the subagents of a run, the newest first. */
export async function childrenOf(log: Pick<Log, "runs">, parent: StoredRun): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await log.runs({ task_id: parent.task_id, limit: 200, ...(before !== undefined && { before }) });
    found.push(...page.runs.filter(({ parent_run_id }) => parent_run_id === parent.run_id));
    before = page.runs.at(-1)?.run_id;
    // A subagent is younger than its parent.
    more = page.more && before !== undefined && !page.runs.some(({ run_id }) => run_id === parent.run_id);
  }
  return found;
}

/** The runs of subagents that are not over. */
export const activeChildrenOf = async (log: Pick<Log, "runs">, parent: StoredRun): Promise<StoredRun[]> =>
  (await childrenOf(log, parent)).filter((run) => !isOver(run));
