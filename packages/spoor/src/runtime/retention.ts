import { isTerminalRunType } from "@spoor/protocol/write";
import { readEnvelopes } from "../log/envelopes.ts";
import { LogError } from "../log/errors.ts";
import type { Log, PruneReason } from "../log/log.ts";
import type { StoredRun } from "../log/records.ts";

/** Limits of what is kept. An absent limit does not apply. */
export interface RetentionPolicy {
  /** Runs that ended longer ago are pruned. */
  max_age_ms?: number;
  /** Each run keeps at most this many of its newest events. */
  max_events?: number;
  /** When there are more runs, those that ended first are pruned. */
  max_runs?: number;
  /** When all runs together have more bytes of events and artifacts, the runs that ended first are pruned. */
  max_bytes?: number;
}

/** The facts about a run that retention needs. */
export interface RetentionSubject extends Pick<StoredRun, "run_id" | "first_sequence" | "last_sequence" | "ended_at"> {
  /** The sequence of its terminal run event. */
  end_sequence?: number;
  /** Bytes of its events, and of its artifacts; only needed for `max_bytes`. */
  bytes?: number;
  artifact_bytes?: number;
  /** Whether Spoor itself performs the run, so that it needs all its events until it is over. */
  is_own?: boolean;
  /** The sequence of its oldest approval that nobody has answered. */
  oldest_pending?: number;
}

/** What is pruned of one run. */
export interface Pruning {
  run_id: string;
  /** The last sequence that is pruned. */
  through: number;
  events: number;
  /** An estimate. */
  bytes?: number;
  reason: PruneReason;
}

/**
 * Decides what a policy prunes, without pruning. The terminal event of a run and everything after it always stay, because
 * lists show how a run ended. A run that has not ended is pruned by `max_events` only: never if Spoor itself performs it,
 * and only before its oldest open approval.
 *
 * @example
 * const plan = planRetention((await log.runs()).runs, { max_events: 10_000 }, Date.now());
 * console.log(plan.map(({ run_id, events }) => `${run_id}: ${events}`));
 */
export function planRetention(runs: readonly RetentionSubject[], policy: RetentionPolicy, now: number): Pruning[] {
  const { max_age_ms, max_events, max_runs, max_bytes } = policy;
  const byOldest = runs.toSorted((a, b) => (a.ended_at ?? Infinity) - (b.ended_at ?? Infinity));
  const plan = new Map<string, Pruning>();
  const take = (run: RetentionSubject, wanted: number, reason: PruneReason): void => {
    if (run.is_own && run.end_sequence === undefined) return;
    const through = Math.min(wanted, (run.oldest_pending ?? Number.POSITIVE_INFINITY) - 1);
    const known = plan.get(run.run_id)?.through ?? -1;
    // The gap event takes the place of one event, so pruning a single event gains nothing.
    if (through <= Math.max(known, run.first_sequence)) return;
    const events = through - run.first_sequence + 1;
    const bytes = bytesOf(run, events);
    plan.set(run.run_id, { run_id: run.run_id, through, events, ...(bytes !== undefined && { bytes }), reason });
  };

  for (const run of byOldest) {
    if (max_age_ms !== undefined && run.ended_at !== undefined && run.ended_at < now - max_age_ms) {
      take(run, beforeEnd(run), "retention_window");
    }
    if (max_events !== undefined)
      take(run, Math.min(run.last_sequence - max_events, beforeEnd(run)), "retention_count");
  }
  if (max_runs !== undefined) {
    const tooMany = Math.max(0, runs.length - max_runs);
    const over = byOldest.filter(({ end_sequence }) => end_sequence !== undefined);
    for (const run of over.slice(0, tooMany)) take(run, beforeEnd(run), "retention_count");
  }
  if (max_bytes !== undefined) {
    let total = byOldest.reduce((sum, { bytes = 0, artifact_bytes = 0 }) => sum + bytes + artifact_bytes, 0);
    for (const { bytes = 0 } of plan.values()) total -= bytes;
    for (const run of byOldest) {
      if (total <= max_bytes) break;
      if (run.end_sequence === undefined) continue;
      const before = plan.get(run.run_id)?.bytes ?? 0;
      take(run, beforeEnd(run), "retention_size");
      total -= (plan.get(run.run_id)?.bytes ?? 0) - before;
    }
  }
  return [...plan.values()];
}

/**
 * Reads every run of the log and decides what the policy prunes.
 *
 * @example
 * const plan = await planRetentionOf(log, { max_age_ms: 30 * 86_400_000 });
 * console.log(`${plan.length} runs would be pruned.`);
 */
export async function planRetentionOf(log: Log, policy: RetentionPolicy, now = Date.now()): Promise<Pruning[]> {
  const subjects: RetentionSubject[] = [];
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await log.runs({ limit: 200, ...(before !== undefined && { before }) });
    for (const run of page.runs) subjects.push(await subjectOf(log, run, policy.max_bytes !== undefined));
    before = page.runs.at(-1)?.run_id;
    more = page.more && before !== undefined;
  }
  return planRetention(subjects, policy, now);
}

/**
 * Prunes as planned. A run that is damaged at the cut stays unchanged; the other runs are still pruned.
 *
 * @example
 * const { done, failures } = await applyRetention(log, await planRetentionOf(log, { max_bytes: 1e9 }));
 * console.log(done.length, failures);
 */
export async function applyRetention(
  log: Log,
  plan: readonly Pruning[],
): Promise<{ done: Pruning[]; failures: LogError[] }> {
  const done: Pruning[] = [];
  const failures: LogError[] = [];
  for (const pruning of plan) {
    try {
      await log.upkeep.prune(pruning.run_id, pruning.through, pruning.reason);
      done.push(pruning);
    } catch (error) {
      if (!(error instanceof LogError && error.code === "damaged")) throw error;
      failures.push(error);
    }
  }
  return { done, failures };
}

/** Estimates the bytes by the share of events. */
function bytesOf(run: RetentionSubject, events: number): number | undefined {
  if (run.bytes === undefined) return undefined;
  const share = events / (run.last_sequence - run.first_sequence + 1);
  return Math.round((run.bytes + (run.artifact_bytes ?? 0)) * share);
}

const beforeEnd = ({ end_sequence }: RetentionSubject): number => (end_sequence ?? Number.POSITIVE_INFINITY) - 1;

async function subjectOf(log: Log, run: StoredRun, countsBytes: boolean): Promise<RetentionSubject> {
  const { run_id, first_sequence, last_sequence, ended_at } = run;
  const end_sequence = ended_at === undefined ? undefined : await endOf(log, run_id);
  const subject: RetentionSubject = {
    run_id,
    first_sequence,
    last_sequence,
    ...(ended_at !== undefined && end_sequence !== undefined && { ended_at, end_sequence }),
    ...(end_sequence === undefined && { is_own: run.kind !== "agent", ...(await pendingOf(log, run)) }),
  };
  return countsBytes ? { ...subject, bytes: run.bytes, artifact_bytes: await artifactBytes(log, run_id) } : subject;
}

/** The oldest approval that nobody has answered. */
async function pendingOf(log: Log, { run_id, pending = 0 }: StoredRun): Promise<{ oldest_pending?: number }> {
  if (pending === 0) return {};
  const open = new Map<unknown, number>();
  for await (const { type, sequence, data } of readEnvelopes(log, { run_id, match: isApproval })) {
    if (type === "approval.requested") open.set(data.approval_id, sequence);
    else open.delete(data.approval_id);
  }
  const [oldest_pending] = open.values();
  return oldest_pending === undefined ? {} : { oldest_pending };
}

const isApproval = (type: string): boolean => type.startsWith("approval.");

async function artifactBytes(log: Log, run_id: string): Promise<number> {
  let bytes = 0;
  for (let after: string | undefined, more = true; more; ) {
    const page = await log.rows.list("artifacts", { where: { run_id }, limit: 500, ...(after && { after }) });
    for (const { size, artifact_id } of page.rows) {
      bytes += size ?? 0;
      after = artifact_id;
    }
    more = page.more;
  }
  return bytes;
}

async function endOf(log: Log, run_id: string): Promise<number | undefined> {
  for await (const { type, sequence } of readEnvelopes(log, { run_id, match: isTerminalRunType })) {
    if (isTerminalRunType(type)) return sequence;
  }
  return undefined;
}
