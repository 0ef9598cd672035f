import { instant } from "@spoor/protocol/write";
import { commitEvents } from "../../runtime/commit.ts";
import { RunFactsFold } from "../../runtime/projections/run-facts.ts";
import { wakeParent } from "../../runtime/projections/wake-parent.ts";
import type { LoopRun } from "../loop-run.ts";
import type { ToolWait } from "../tools/tool.ts";

/**
 * Gives the worker back while a subagent waits for a person: the run is queued for the time when that wait ends at the latest.
 * Whoever answers the subagent makes the run due at once.
 */
export async function queueUntil({ execution, record }: LoopRun, { until, hasEnded }: ToolWait): Promise<void> {
  const { log, claim } = execution;
  await record.flush();
  const { epoch } = claim;
  const run = (await log.run(claim.run.run_id)) ?? claim.run;
  await commitEvents(log, {
    ...{ run, epoch, at: Date.now(), fold: new RunFactsFold(run) },
    events: [["run.queued", { resume: true, due_at: instant(until) }]],
  });
  // The answer may have come before this run was in the queue.
  if (await hasEnded()) await log.rows.write(wakeParent({ parent_run_id: run.run_id }));
}
