import type { Envelope } from "../envelope/envelope.ts";
import { cancelPending } from "./fold-approvals.ts";
import { setSpent, usageOf } from "./fold-cost.ts";
import { reportFailure } from "./fold-errors.ts";
import { cancelSubagents } from "./fold-extensions.ts";
import { note } from "./fold-notes.ts";
import { closeShell } from "./fold-shells.ts";
import { cancelCalls } from "./fold-tools.ts";
import { cancelTurns } from "./fold-turns.ts";
import { count, flag, type Handlers, key, put, when } from "./payload-fields.ts";
import { closeSpans } from "./text-spans.ts";
import { isOver } from "./types.ts";
import type { RunEnd } from "./types-totals.ts";
import type { Draft } from "./view-draft.ts";

export const lifecycle = {
  "run.created"(draft, data) {
    draft.run.status = data.status === "awaiting_approval" || data.status === "queued" ? data.status : "created";
    put(draft.run, { agent: key(data.agent) });
    setUp(draft, data);
  },
  "run.queued"(draft, data) {
    draft.run.status = "queued";
    setUp(draft, data);
  },
  "run.awaiting_approval"({ run }) {
    if (!isOver(run)) run.status = "awaiting_approval";
  },
  "run.started"({ run }, data) {
    run.status = "running";
    // A run that is taken up again resumes after its own last event. It continues no other run by that.
    const from = key(data.resume_from_run_id);
    if (from !== run.runId) put(run, { priorRunId: from });
  },
  "run.resumed_from_event"(draft, data, envelope) {
    put(draft.run, { priorRunId: key(data.from_run_id) });
    note(draft, data, envelope);
  },
  "run.paused"(draft, data, envelope) {
    if (!isOver(draft.run)) draft.run.status = "paused";
    note(draft, data, envelope);
  },
  "run.unpaused"(draft, data, envelope) {
    if (!isOver(draft.run)) draft.run.status = "running";
    note(draft, data, envelope);
  },
  "run.finished": (draft, data, envelope) => finish(draft, data, envelope, { status: "completed" }),
  "run.failed": (draft, data, envelope) =>
    finish(draft, data, envelope, { status: "failed", message: key(data.message) ?? key(data.error) }),
  "run.cancelled": (draft, data, envelope) =>
    finish(draft, data, envelope, { status: "cancelled", message: key(data.reason) }),
  "run.timed_out"(draft, data, envelope) {
    reportFailure(draft, envelope, { type: "timeout", kind: data.kind === "inactivity" ? "inactivity" : "run" });
  },
  "run.interrupted": note,
  "run.aborted": note,
  "run.checkpoint_saved": note,
  "run.stream_fallback": note,

  "session.started"({ run }, data) {
    put(run, {
      nativeSessionId: key(data.native_session_id),
      parentRunId: key(data.parent_run_id),
      agentVersion: key(data.agent_version),
    });
  },
  "session.resumed": note,
  "session.forked": note,
  "session.checkpoint_saved": note,
  "session.ended"({ run }, data) {
    // Ticks are authoritative. This cost is used only if there was no tick.
    if (run.cost.usd === undefined) run.cost = { ...run.cost, ...usageOf(data) };
  },
} satisfies Handlers;

interface Setup {
  readonly kind?: unknown;
  readonly model?: unknown;
  readonly provider?: unknown;
  readonly workspace_path?: unknown;
  readonly prior_run_id?: unknown;
}

function setUp({ run }: Draft, data: Setup): void {
  put(run, {
    kind: key(data.kind),
    model: key(data.model),
    provider: key(data.provider),
    workspacePath: key(data.workspace_path),
    priorRunId: key(data.prior_run_id),
  });
}

interface EndData {
  readonly code?: unknown;
  readonly by?: unknown;
  readonly retriable?: unknown;
  readonly turns?: unknown;
  readonly cost_micros_usd?: unknown;
  readonly duration_ms?: unknown;
}

/** Ends everything that is still open, which happens in pruned or foreign streams. */
function finish(
  draft: Draft,
  data: EndData,
  envelope: Envelope,
  { status, message }: { status: RunEnd["status"]; message?: string | undefined },
): void {
  closeSpans(draft);
  cancelCalls(draft, envelope);
  for (const toolCallId of draft.lookup.shells.keys()) closeShell(draft, toolCallId, envelope);
  cancelPending(draft);
  cancelSubagents(draft, envelope);
  cancelTurns(draft, when(envelope));
  setSpent(draft, data.cost_micros_usd);
  draft.run.status = status;
  draft.run.end = put<RunEnd>(
    { status },
    {
      code: key(data.code),
      message,
      by: key(data.by),
      retriable: flag(data.retriable),
      turns: count(data.turns),
      durationMs: count(data.duration_ms),
      at: when(envelope),
    },
  );
  note(draft, data, envelope);
}
