import { unprefixed } from "@spoor/protocol/ids";
import { readEnvelopes } from "../log/envelopes.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import type { RunRecord, RunStatus } from "../log/records.ts";
import { killMarked } from "../process/kill-marked.ts";
import type { LossReason } from "./close-run.ts";
import { createWorkerCheck } from "./worker.ts";

export interface ReconcileOptions {
  /** Whether a worker is gone; undefined when that cannot be told, and then its runs are let be. */
  isGone?: (worker_id: string) => boolean | undefined;
  now?: () => number;
  /** `boot_reconcile` unless said. */
  reason?: LossReason;
}

/**
 * Closes the runs whose producer died without a word, so that every run has an end: what was open is closed, the gap is
 * named, and the run has failed. Taking a run over fences whoever should write to it after all. Processes of such a run
 * that still work are killed. Returns the runs' ids.
 */
export async function reconcile(log: Log, options: ReconcileOptions = {}): Promise<string[]> {
  const { now = Date.now, reason = "boot_reconcile" } = options;
  const closed: string[] = [];
  const unfinished = await unfinishedRuns(log);
  // Processes are looked at after the runs: one that began a run in between would seem gone.
  const isGone = options.isGone ?? createWorkerCheck();
  for (const run of unfinished) {
    const worker_id = run.worker_id ?? (await workerOf(log, run.run_id));
    if (worker_id === undefined || isGone(worker_id) !== true) continue;
    // Reading a run takes the whole catalog, and most often nothing is to be closed.
    const { closeRun } = await import("./close-run.ts");
    // What its agent left behind bears the run's mark; nobody will watch it any more.
    killMarked(unprefixed("run", run.run_id));
    try {
      await closeRun(log, run, await log.claim(run.run_id), { at: now(), reason });
      closed.push(run.run_id);
    } catch (error) {
      // Somebody else does the same, and was later; that one goes on with it.
      if (!(error instanceof LogError && error.code === "fenced")) throw error;
    }
  }
  return closed;
}

async function unfinishedRuns(log: Log): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  for (const status of ["running", "awaiting_approval"] satisfies RunStatus[]) {
    let before: string | undefined;
    for (let more = true; more; ) {
      const page = await log.runs({ status, limit: 200, ...(before !== undefined && { before }) });
      found.push(...page.runs);
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
    }
  }
  return found;
}

async function workerOf(log: Log, run_id: string): Promise<string | undefined> {
  let worker: string | undefined;
  for await (const { data } of readEnvelopes(log, { run_id, match: isStart })) {
    if (typeof data.worker_id === "string") worker = data.worker_id;
  }
  return worker;
}

const isStart = (type: string): boolean => type === "run.started";
