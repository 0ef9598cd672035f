import { unprefixed } from "@spoor/protocol/ids";
import { readEnvelopes } from "../log/envelopes.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import type { RunStatus, StoredRun } from "../log/records.ts";
import { killMarked } from "../process/kill-marked.ts";
import type { LossReason } from "./close-run.ts";
import { createWorkerCheck } from "./worker.ts";

/** How lost runs are recognised and closed. */
export interface ReconcileOptions {
  /** Whether a worker is gone. Undefined means unknown: its runs are not closed. */
  isGone?: (worker_id: string) => boolean | undefined;
  now?: () => number;
  /** Default: `boot_reconcile`. */
  reason?: LossReason;
}

/**
 * Closes the runs whose producer died, so that every run has an end: open spans are closed, a gap event is written, and the
 * run fails. Claiming a run fences its old producer in case it still writes. Processes of such a run that are still alive
 * are killed. Returns the ids of the closed runs.
 *
 * @example
 * for (const run_id of await reconcile(log)) console.log(`${run_id} was closed: its process had died.`);
 */
export async function reconcile(log: Log, options: ReconcileOptions = {}): Promise<string[]> {
  const { now = Date.now, reason = "boot_reconcile" } = options;
  const closed: string[] = [];
  const unfinished = await unfinishedRuns(log);
  // Read the process table after the runs, or a process that started a run in between would seem gone.
  const isGone = options.isGone ?? createWorkerCheck();
  for (const run of unfinished) {
    const worker_id = run.worker_id ?? (await workerOf(log, run.run_id));
    if (worker_id === undefined || isGone(worker_id) !== true) continue;
    // Loaded only when needed: it needs the whole event catalog, and usually there is nothing to close.
    const { closeRun } = await import("./close-run.ts");
    // Processes of the agent carry the run's mark in their environment; nobody watches them any more.
    killMarked(unprefixed("run", run.run_id));
    try {
      await closeRun(log, run, await log.claim(run.run_id), { at: now(), reason });
      closed.push(run.run_id);
    } catch (error) {
      // Another process claimed the run after this one and closes it.
      if (!(error instanceof LogError && error.code === "fenced")) throw error;
    }
  }
  return closed;
}

async function unfinishedRuns(log: Log): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
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
