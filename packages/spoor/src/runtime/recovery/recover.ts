import { unprefixed } from "@spoor/protocol/ids";
import { instant, lostRun } from "@spoor/protocol/lines";
import { readEnvelopes } from "../../log/envelopes.ts";
import { LogError } from "../../log/errors.ts";
import type { Log, LogDraft } from "../../log/log.ts";
import type { RunStatus, StoredRun } from "../../log/records.ts";
import { LEASE_MS, LOST_AFTER_MS } from "../lease-times.ts";
import { specOf } from "../specification/spec-of.ts";
import { createWorkerCheck } from "../worker.ts";
import type { Successor } from "./end-run.ts";

/** When a lost run was found: as a log was opened, or later. The contract calls the second an expired lease. */
export type LossReason = "boot_reconcile" | "worker_lease_expired";

/** How lost runs are recognised and recovered. */
export interface RecoverOptions {
  /** Whether a worker is gone. Undefined means unknown: then its lease decides. */
  isGone?: (worker_id: string) => boolean | undefined;
  now?: () => number;
  /** Default: `boot_reconcile`. */
  reason?: LossReason;
  /**
   * Makes the run that goes on from one that failed. Without it, a run whose task asks to be resumed is left to a process that
   * can do so: a server or `spoor work`. `none`: such a run ends like any other.
   */
  successor?: Successor | "none" | undefined;
}

/** A run that recovery took over, and what became of it. */
export interface Recovered {
  run: StoredRun;
  action: "requeued" | "failed";
}

/** A run is queued again at most this often: a run that kills its worker must not do so forever. */
const MAX_ATTEMPTS = 3;

/**
 * Takes over the runs whose worker is lost: queues them again if nothing that cannot be repeated has begun, and ends them
 * otherwise. A run whose process lives on this machine is never taken over by time alone. Runs that wait without a worker,
 * in the queue or for a person, are not touched. Claiming a run fences its former worker, and processes that it left behind
 * are killed first.
 */
export async function recover(log: Log, options: RecoverOptions = {}): Promise<Recovered[]> {
  const { now = Date.now, reason = "boot_reconcile" } = options;
  const recovered: Recovered[] = [];
  const unfinished = await unfinishedRuns(log);
  if (unfinished.length === 0) return recovered;
  // Read the process table after the runs, or a process that started a run in between would seem gone.
  const isGone = options.isGone ?? createWorkerCheck();
  for (const run of unfinished) {
    const loss = await lossOf(log, run, isGone, now());
    if (!loss) continue;
    try {
      const action = await takeOver(log, run, {
        at: now(),
        reason: loss === "expired" ? "worker_lease_expired" : reason,
        successor: options.successor,
      });
      if (action) recovered.push({ run, action });
    } catch (error) {
      // Another process took the run over after this one and recovers it.
      if (!(error instanceof LogError && (error.code === "fenced" || error.code === "conflict"))) throw error;
    }
  }
  return recovered;
}

async function unfinishedRuns(log: Log): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  for (const status of ["running", "awaiting_approval"] satisfies RunStatus[]) {
    let before: string | undefined;
    for (let more = true; more; ) {
      const page = await log.runs({ status, limit: 200, ...(before !== undefined && { before }) });
      // Nobody performs a parked run, so nobody can be lost.
      found.push(...page.runs.filter(({ parked }) => !parked));
      before = page.runs.at(-1)?.run_id;
      more = page.more && before !== undefined;
    }
  }
  return found;
}

async function lossOf(
  log: Log,
  run: StoredRun,
  isGone: (worker_id: string) => boolean | undefined,
  now: number,
): Promise<"gone" | "expired" | undefined> {
  const worker_id = run.worker_id ?? (await workerOf(log, run.run_id));
  if (worker_id === undefined) return undefined;
  const gone = isGone(worker_id);
  if (gone !== undefined) return gone ? "gone" : undefined;
  const row = await log.rows.find("queue", run.run_id);
  if (typeof row?.lease_until !== "number") return undefined;
  return row.lease_until + LOST_AFTER_MS - LEASE_MS < now ? "expired" : undefined;
}

async function takeOver(
  log: Log,
  found: StoredRun,
  { at, reason, successor }: { at: number; reason: LossReason; successor: RecoverOptions["successor"] },
): Promise<Recovered["action"] | undefined> {
  if (successor === undefined && found.kind === "agent" && (await specOf(log, found))?.recover === "resume")
    return undefined;
  // Loaded only when needed, like the rest below: a server should start fast.
  const { killMarked } = await import("../../process/kill-marked.ts");
  // Processes of the agent carry the run's mark in their environment; nobody watches them any more.
  killMarked(unprefixed("run", found.run_id));
  const epoch = await log.claim(found.run_id);
  // Its former worker may have written until now.
  const run = (await log.run(found.run_id)) ?? found;
  // Loaded only when needed: it needs the whole event catalog, and usually there is nothing to recover.
  const [{ readOpenRun }, { endRun }, { requeueRun }, { settleChanges }] = await Promise.all([
    import("./stored-run.ts"),
    import("./end-run.ts"),
    import("./requeue-run.ts"),
    import("./settled-changes.ts"),
  ]);
  const settled = await settleChanges(log, run);
  const open = await readOpenRun(log, run);
  if (open.hasEnded) return undefined;
  const isTask = typeof (await log.rows.find("tasks", run.task_id))?.spec === "string";
  const isRepeatable = isTask && (run.kind === "agent_loop" || !open.hasEffects);
  if (isRepeatable && (run.attempt ?? 1) < MAX_ATTEMPTS) {
    await requeueRun(log, open, epoch, { at, first: [gapOf(run, at, reason, "requeued", "queued")], settled });
    return "requeued";
  }
  const isUnknown = run.kind !== "agent" && open.hasEffects;
  await endRun(log, run, epoch, {
    at,
    first: [gapOf(run, at, reason, "failed", "failed")],
    failure: isUnknown ? { ...lostRun, message: UNKNOWN } : lostRun,
    ...(isUnknown && { code: "outcome_unknown" }),
    successor: successor === "none" ? undefined : successor,
  });
  return "failed";
}

const UNKNOWN =
  "The process that performed the run is gone. What it had started may or may not have happened: look at the workspace before you retry.";

function gapOf(run: StoredRun, at: number, reason: LossReason, action: string, recovered_status: string): LogDraft {
  const data = {
    reason,
    action,
    since_sequence: run.last_sequence,
    since_at: instant(run.updated_at),
    message: lostRun.message,
    prior_status: run.status,
    recovered_status,
    recovery_strategy: reason === "boot_reconcile" ? "requeue" : "periodic_requeue",
    ...(reason === "worker_lease_expired" && { stale_threshold_ms: LOST_AFTER_MS }),
  };
  return { type: "gap.run_disconnected", timestamp: at, json: JSON.stringify(data) };
}

async function workerOf(log: Log, run_id: string): Promise<string | undefined> {
  let worker: string | undefined;
  for await (const { data } of readEnvelopes(log, { run_id, match: isStart })) {
    if (typeof data.worker_id === "string") worker = data.worker_id;
  }
  return worker;
}

const isStart = (type: string): boolean => type === "run.started";
