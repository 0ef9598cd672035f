import {
  type AgentEvent,
  createDecoder,
  createEncoder,
  createOutcomeTracker,
  type Envelope,
  instant,
  isTerminalRunType,
  type Outcome,
  outcomeOf,
  type RunFailure,
} from "@spoor/protocol";
import { unprefixed } from "@spoor/protocol/ids";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log, LogDraft } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { type Closer, createCloser } from "../recorder/closer.ts";

/** An approval that nobody has answered. Only one with a record can be answered from anywhere. */
interface OpenApproval {
  approval_id: string;
  kind?: string;
  hasRecord: boolean;
}

/** A run as its stored events tell it, with what is open in it. */
export interface OpenRun {
  run: StoredRun;
  hasEnded: boolean;
  /** Whether a worker ever started it. */
  hasStarted: boolean;
  /** Whether the run began something that cannot be undone or repeated unseen: a call that started, of any kind. */
  hasEffects: boolean;
  /** Approvals that nobody has answered, the oldest first. */
  pending: readonly OpenApproval[];
  /** Approvals that these drafts decide are no longer open. */
  decided(drafts: readonly LogDraft[]): void;
  /** The drafts that close everything open, but not the session and the run. `known` says how some calls ended. */
  closeWork(at: number, why: string, known?: ReadonlyMap<string, string>): LogDraft[];
  /** The drafts that close everything open and the session, and the outcome. Without a failure, the events decide it. */
  closeAll(at: number, failure?: RunFailure & { cause?: AgentEvent }): { drafts: LogDraft[]; outcome: Outcome };
}

/** Reads a run from the log, so that whoever takes it over can close what its producer left open. */
export async function readOpenRun(log: Pick<Log, "read">, run: StoredRun): Promise<OpenRun> {
  const decoder = createDecoder({ agent: run.agent });
  const encoder = createEncoder();
  const closer = createCloser();
  const outcome = createOutcomeTracker();
  const pending = new Map<string, OpenApproval>();
  const calls = new Map<string, OpenCall>();
  let hasEnded = false;
  let hasStarted = false;
  let hasSession = false;
  let hasSessionEnd = false;
  let hasEffects = false;
  const started = new Set<unknown>();

  const take = (event: AgentEvent): LogDraft[] => {
    closer.add(event);
    outcome.add(event);
    return encoder.encodeText(event);
  };
  for await (const envelope of readEnvelopes(log as Log, { run_id: run.run_id })) {
    const { type } = envelope;
    hasEnded ||= isTerminalRunType(type);
    // A pruned run has started: a run that waits is never pruned.
    hasStarted ||= type === "run.started" || type === "gap.events_pruned";
    // An agent may do anything as soon as it has the prompt.
    hasEffects ||= type === "tool.started" || (run.kind === "agent" && hasStarted && type === "user.message");
    if (type === "tool.started") started.add(envelope.data.tool_call_id);
    followApprovals(pending, envelope);
    followCalls(calls, envelope);
    const event = decoder.decode(envelope);
    hasSession ||= event?.type === "session_start";
    hasSessionEnd ||= event?.type === "session_end";
    if (event) take(event);
  }
  // Every run of an agent has a session, even if it failed before it could begin one.
  const isAgents = hasSession || run.kind === "agent" || run.kind === "agent_loop";
  const base = (timestamp: number) => ({ runId: unprefixed("run", run.run_id), agent: run.agent, timestamp });

  return {
    run,
    hasEnded,
    hasStarted,
    hasEffects,
    pending: [...pending.values()],
    decided(drafts) {
      for (const { type, timestamp, json } of drafts) {
        if (type !== "approval.resolved" && type !== "approval.timed_out") continue;
        const { approval_id, decision } = JSON.parse(json) as { approval_id: string; decision?: string };
        pending.delete(approval_id);
        if (!hasSession) continue;
        const answer = decision === "approved" ? "approval_granted" : "approval_denied";
        take({ type: answer, ...base(timestamp), interactionId: approval_id });
      }
    },
    closeWork(at, why, known) {
      const drafts = cancelApprovals(pending, at, why, (event) => hasSession && void take(event), base(at));
      if (!hasSession) return [...drafts, ...closeCalls(calls, at, why)];
      const ofLoop = (id: string) => (started.has(id) ? (known?.get(id) ?? INTERRUPTED) : NOT_BEGUN);
      const whyOf = (id: string) => (run.kind === "agent_loop" ? ofLoop(id) : why);
      return [...drafts, ...withFailedTurn(workOf(closer, base(at), why, whyOf), why, take)];
    },
    closeAll(at, failure) {
      const why = failure?.message ?? "The run ended.";
      const drafts = cancelApprovals(pending, at, why, (event) => hasSession && void take(event), base(at));
      const end = failure && !hasSessionEnd ? outcomeOf(failure) : outcome.outcome();
      if (!hasStarted) return { drafts, outcome: end };
      if (!isAgents) return { drafts: [...drafts, ...closeCalls(calls, at, why)], outcome: end };
      const closing = closer.close(base(at), why);
      const last = closing.at(-1);
      const events = failure?.cause && last ? [...closing.slice(0, -1), failure.cause, last] : closing;
      return { drafts: [...drafts, ...events.flatMap(take)], outcome: end };
    },
  };
}

/** Approvals are cancelled by name, so that their records show that nobody decided. */
function cancelApprovals(
  pending: ReadonlyMap<string, OpenApproval>,
  at: number,
  comment: string,
  take: (event: AgentEvent) => void,
  base: Pick<AgentEvent, "runId" | "agent" | "timestamp">,
): LogDraft[] {
  return [...pending.values()].map(({ approval_id, kind, hasRecord }) => {
    take({ type: "approval_denied", ...base, interactionId: approval_id, reason: comment });
    return draft("approval.resolved", at, {
      approval_id,
      decision: "cancelled",
      by: "spoor",
      comment,
      scope: "once",
      ...(kind !== undefined && { kind }),
      status: "cancelled",
      ...(hasRecord && { resolved_at: instant(at) }),
    });
  });
}

/** What closes the work of a run that goes on: not its session. Nobody cancelled the calls: how they ended is unknown. */
function workOf(
  closer: Closer,
  base: Pick<AgentEvent, "runId" | "agent" | "timestamp">,
  why: string,
  whyOf: (toolCallId: string) => string,
): AgentEvent[] {
  return closer.close(base, why).flatMap((event): AgentEvent[] => {
    if (event.type === "session_end") return [];
    if (event.type !== "tool_error" && event.type !== "mcp_tool_error") return [event];
    const { outcome: _, ...failed } = event;
    return [{ ...failed, error: whyOf(event.toolCallId) } as AgentEvent];
  });
}

/** What the model of our loop reads about calls whose worker was lost. They are never run again by themselves. */
export const INTERRUPTED: string = "Interrupted; it may or may not have happened.";
const NOT_BEGUN = "Interrupted before it began. Propose it again if it is still needed.";

/** The turn that was lost is told as failed and retried. */
function withFailedTurn(
  events: readonly AgentEvent[],
  message: string,
  take: (event: AgentEvent) => LogDraft[],
): LogDraft[] {
  return events.flatMap((event) => {
    if (event.type !== "turn_end") return take(event);
    const data = { turn_index: event.turnIndex + 1, code: "worker_lost", message, will_retry: true };
    return [draft("turn.failed", event.timestamp, data), ...take(event)];
  });
}

interface OpenCall {
  data: Record<string, unknown>;
  hasShell: boolean;
}

/** Follows the calls of a run without a model, which has no AgentEvents. */
function followCalls(calls: Map<string, OpenCall>, { type, data }: Envelope): void {
  const id = data.tool_call_id;
  if (typeof id !== "string") return;
  if (type === "tool.invoked") {
    const { tool_call_id, tool_name, kind } = data;
    calls.set(id, { data: { tool_call_id, tool_name, kind }, hasShell: false });
  }
  const call = calls.get(id);
  if (call && type === "tool.shell.command") call.hasShell = true;
  if (call && type === "tool.shell.exited") call.hasShell = false;
  if (endings.has(type)) calls.delete(id);
}

const endings: ReadonlySet<string> = new Set([
  "tool.completed",
  "tool.failed",
  "tool.cancelled",
  "tool.timed_out",
  "policy.tool_blocked",
]);

const closeCalls = (calls: ReadonlyMap<string, OpenCall>, at: number, error: string): LogDraft[] =>
  [...calls.values()].flatMap(({ data, hasShell }) => {
    const exited = {
      tool_call_id: data.tool_call_id,
      exit_code: -1,
      stdout_bytes: 0,
      stderr_bytes: 0,
      truncated: true,
    };
    return [
      ...(hasShell ? [draft("tool.shell.exited", at, exited)] : []),
      draft("tool.failed", at, { ...data, error }),
    ];
  });

function followApprovals(pending: Map<string, OpenApproval>, { type, data }: Envelope): void {
  const { approval_id, kind, action_hash } = data;
  if (typeof approval_id !== "string") return;
  if (type === "approval.requested") {
    const hasRecord = action_hash !== undefined;
    pending.set(approval_id, { approval_id, hasRecord, ...(typeof kind === "string" && { kind }) });
  }
  if (type === "approval.resolved" || type === "approval.timed_out") pending.delete(approval_id);
}

const draft = (type: string, timestamp: number, data: object): LogDraft => ({
  type,
  timestamp,
  json: JSON.stringify(data),
});
