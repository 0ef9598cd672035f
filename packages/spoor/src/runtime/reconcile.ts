import {
  type AgentEvent,
  createDecoder,
  createEncoder,
  createOutcomeTracker,
  instant,
  isTerminalRunType,
  type Outcome,
} from "@spoor/protocol";
import { unprefixed } from "@spoor/protocol/ids";
import { LogError } from "../log/errors.ts";
import type { Log, LogDraft } from "../log/log.ts";
import type { RunRecord, RunStatus } from "../log/records.ts";
import { envelopesOf } from "./envelopes.ts";
import { createCloser } from "./recorder/closer.ts";
import { createWorkerCheck } from "./worker.ts";

export interface ReconcileOptions {
  /** Whether a worker is gone; undefined when that cannot be told, and then its runs are let be. */
  isGone?: (worker_id: string) => boolean | undefined;
  now?: () => number;
}

/**
 * Closes the runs whose producer died without a word, so that every run has an end: what was open is closed, the gap is
 * named, and the run has failed. Taking a run over fences whoever should write to it after all. Returns their ids.
 */
export async function reconcile(log: Log, options: ReconcileOptions = {}): Promise<string[]> {
  const { isGone = createWorkerCheck(), now = Date.now } = options;
  const closed: string[] = [];
  for (const run of await unfinishedRuns(log)) {
    const worker_id = await workerOf(log, run.run_id);
    if (worker_id === undefined || isGone(worker_id) !== true) continue;
    try {
      await closeRun(log, run, await log.claim(run.run_id), now());
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
  for await (const { data } of envelopesOf(log, run_id, { match: isStart })) {
    if (typeof data.worker_id === "string") worker = data.worker_id;
  }
  return worker;
}

const isStart = (type: string): boolean => type === "run.started";

async function closeRun(log: Log, run: RunRecord, epoch: number, at: number): Promise<void> {
  const decoder = createDecoder({ agent: run.agent });
  const encoder = createEncoder();
  const closer = createCloser();
  const outcome = createOutcomeTracker();
  const take = (event: AgentEvent): LogDraft[] => {
    closer.add(event);
    outcome.add(event);
    return encoder.encodeText(event);
  };
  let hasEnded = false;
  let hadSessionEnd = false;
  for await (const envelope of envelopesOf(log, run.run_id)) {
    hasEnded ||= isTerminalRunType(envelope.type);
    const event = decoder.decode(envelope);
    hadSessionEnd ||= event?.type === "session_end";
    if (event) take(event);
  }
  if (hasEnded) return;
  const message = "The process that ran the agent is gone.";
  const base = { runId: unprefixed("run", run.run_id), agent: run.agent, timestamp: at };
  const end: Outcome = hadSessionEnd ? outcome.outcome() : { type: "run.failed", data: failure(message) };
  const drafts = [
    draft("gap.run_disconnected", at, gapOf(run, message)),
    ...closer.close(base, message).flatMap(take),
    draft(end.type, at, end.data),
  ];
  const status = statuses[end.type];
  const error_code = typeof end.data.code === "string" ? { error_code: end.data.code } : {};
  await log.append([{ run_id: run.run_id, epoch, drafts, facts: { status, ended_at: at, ...error_code } }]);
}

const draft = (type: string, timestamp: number, data: object): LogDraft => ({
  type,
  timestamp,
  json: JSON.stringify(data),
});

const gapOf = (run: RunRecord, message: string) => ({
  reason: "boot_reconcile",
  since_sequence: run.last_sequence,
  since_at: instant(run.updated_at),
  message,
  prior_status: run.status,
  recovered_status: "failed",
});

const failure = (message: string) => ({
  code: "process_gone",
  message,
  retriable: true,
  status: "failed",
  error: message,
});

const statuses = { "run.finished": "completed", "run.failed": "failed", "run.cancelled": "cancelled" } as const;
