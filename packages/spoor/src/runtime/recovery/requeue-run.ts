import type { Log, LogDraft } from "../../log/log.ts";
import { effectsOf } from "../projections/index.ts";
import { factsAfter } from "../projections/run-facts.ts";
import type { OpenRun } from "./stored-run.ts";

const WHY = "The worker was lost. The step may or may not have happened.";

/** Queues a run again whose worker was lost: closes what was open, so that the next worker begins a new turn. */
export async function requeueRun(
  log: Log,
  open: OpenRun,
  epoch: number,
  { at, first }: { at: number; first: readonly LogDraft[] },
): Promise<void> {
  const { run } = open;
  const row = await log.rows.find("queue", run.run_id);
  const priority = row?.priority ?? 0;
  const queued = { resume: true, ...(priority !== 0 && { priority }) };
  const drafts = [
    ...first,
    ...open.closeWork(at, WHY),
    { type: "run.queued", timestamp: at, json: JSON.stringify(queued) },
  ];
  await log.append([
    {
      run_id: run.run_id,
      epoch,
      drafts,
      facts: {
        ...factsAfter(run, drafts),
        status: "queued",
        worker_id: null,
        executor: null,
        pending: null,
        paused: null,
        attempt: (run.attempt ?? 1) + 1,
      },
      effects: effectsOf(drafts, run),
    },
  ]);
}
