import type { Log, LogDraft } from "../../log/log.ts";
import { effectsOf } from "../projections/index.ts";
import { factsAfter } from "../projections/run-facts.ts";
import { settleChanges } from "./settled-changes.ts";
import type { OpenRun } from "./stored-run.ts";

const WHY = "The worker was lost. The step may or may not have happened.";
const STOPPED = "The worker stopped. The step may or may not have happened.";

/** Queues a run of our loop again whose worker stops in good order. It does not count as lost. */
export async function giveBack(log: Log, run_id: string, epoch: number): Promise<void> {
  const run = await log.run(run_id);
  if (run?.status !== "running" || run.epoch !== epoch) return;
  const { readOpenRun } = await import("./stored-run.ts");
  const open = await readOpenRun(log, run);
  if (open.hasEnded) return;
  const settled = await settleChanges(log, run);
  await requeueRun(log, open, epoch, { at: Date.now(), first: [], why: STOPPED, settled });
}

interface Requeue {
  at: number;
  first: readonly LogDraft[];
  why?: string;
  /** What became of changes of files, by the ids of their calls. */
  settled: ReadonlyMap<string, string>;
}

/** Queues a run again whose worker was lost: closes what was open, so that the next worker begins a new turn. */
export async function requeueRun(
  log: Log,
  open: OpenRun,
  epoch: number,
  { at, first, why = WHY, settled }: Requeue,
): Promise<void> {
  const { run } = open;
  const row = await log.rows.find("queue", run.run_id);
  const priority = row?.priority ?? 0;
  const queued = { resume: true, ...(priority !== 0 && { priority }) };
  const drafts = [
    ...first,
    ...open.closeWork(at, why, settled),
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
        ...(why === WHY && { attempt: (run.attempt ?? 1) + 1 }),
      },
      effects: effectsOf(drafts, run),
    },
  ]);
}
