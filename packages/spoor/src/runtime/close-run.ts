import {
  type AgentEvent,
  createDecoder,
  createEncoder,
  createOutcomeTracker,
  instant,
  isTerminalRunType,
  lostRun,
  outcomeOf,
} from "@spoor/protocol";
import { unprefixed } from "@spoor/protocol/ids";
import { readEnvelopes } from "../log/envelopes.ts";
import type { Log, LogDraft } from "../log/log.ts";
import type { StoredRun } from "../log/records.ts";
import { createCloser } from "./recorder/closer.ts";

/**
 * When a lost run was found: as a log was opened, or later by a running server (the contract calls that an expired lease).
 */
export type LossReason = "boot_reconcile" | "worker_lease_expired";

export interface Closing {
  at: number;
  reason: LossReason;
}

/** Ends a run whose producer is gone: writes the gap, closes open spans, and marks the run as failed. */
export async function closeRun(log: Log, run: StoredRun, epoch: number, { at, reason }: Closing): Promise<void> {
  const decoder = createDecoder({ agent: run.agent });
  const encoder = createEncoder();
  const closer = createCloser();
  const outcome = createOutcomeTracker();
  const take = (event: AgentEvent): LogDraft[] => {
    closer.add(event);
    outcome.add(event);
    return encoder.encodeText(event);
  };
  let hasStarted = false;
  let hasEnded = false;
  let hadSessionEnd = false;
  for await (const envelope of readEnvelopes(log, { run_id: run.run_id })) {
    hasEnded ||= isTerminalRunType(envelope.type);
    const event = decoder.decode(envelope);
    hasStarted ||= event !== undefined || envelope.type === "run.started";
    hadSessionEnd ||= event?.type === "session_end";
    if (event) take(event);
  }
  if (hasEnded) return;
  const { message } = lostRun;
  const base = { runId: unprefixed("run", run.run_id), agent: run.agent, timestamp: at };
  const end = hadSessionEnd ? outcome.outcome() : outcomeOf(lostRun);
  const drafts = [
    draft("gap.run_disconnected", at, gapOf(run, reason, message)),
    // A run that never started has no session to close.
    ...(hasStarted ? closer.close(base, message).flatMap(take) : []),
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

const gapOf = (run: StoredRun, reason: LossReason, message: string) => ({
  reason,
  action: "failed",
  since_sequence: run.last_sequence,
  since_at: instant(run.updated_at),
  message,
  prior_status: run.status,
  recovered_status: "failed",
});

const statuses = { "run.finished": "completed", "run.failed": "failed", "run.cancelled": "cancelled" } as const;
