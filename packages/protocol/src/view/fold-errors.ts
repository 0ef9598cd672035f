import { type FailureFacts, runFailureOf } from "../agent-events/failures.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { note } from "./fold-notes.ts";
import { turnAt } from "./open-turn.ts";
import { count, type Handlers, key, number, put, text, when } from "./payload-fields.ts";
import type { ErrorView, GapView, RetryView } from "./types.ts";
import type { RunLimits } from "./types-totals.ts";
import { add, type Draft } from "./view-draft.ts";

/** Errors, limits and gaps. `run-state.ts` decides which of them change the run's state. */
export const errors = {
  "error.tool_unavailable"(draft, data, envelope) {
    const tool = text(data.tool_name) ?? "A tool";
    reportError(draft, envelope, `${tool} is not available: ${text(data.reason) ?? ""}`, false);
  },
  "error.model_capability_missing"(draft, data, envelope) {
    const model = text(data.model) ?? "The model";
    reportError(draft, envelope, `${model} lacks ${text(data.missing_capability) ?? "a capability"}.`, false);
  },
  "error.upstream"(draft, data, envelope) {
    reportError(draft, envelope, text(data.message) ?? "The model's service failed.", false);
  },
  "error.rate_limit"(draft, data, envelope) {
    reportError(
      draft,
      envelope,
      text(data.message) ?? "The model's service rejected a call because of its rate limit.",
      false,
    );
  },
  "error.auth"(draft, data, envelope) {
    reportError(draft, envelope, text(data.message) ?? "The agent could not authenticate.", true);
  },
  "error.context_exceeded"(draft, data, envelope) {
    setContext(draft, data, 100, envelope);
    const usedTokens = count(data.used_tokens) ?? 0;
    reportFailure(draft, envelope, { type: "context_exceeded", usedTokens, maxTokens: count(data.max_tokens) ?? 0 });
  },
  "error.crash"(draft, data, envelope) {
    const exitCode = number(data.exit_code) ?? -1;
    reportFailure(draft, envelope, { type: "crash", exitCode, stderr: text(data.stderr) ?? "" });
  },
  "error.reported"(draft, data, envelope) {
    reportError(draft, envelope, text(data.message) ?? "An error occurred.", data.recoverable !== true);
  },

  "limit.rate_limited"(draft, data, envelope) {
    const rateLimited = put<NonNullable<RunLimits["rateLimited"]>>(
      {},
      { retryAfterMs: count(data.retry_after_ms), at: when(envelope) },
    );
    draft.run.limits = { ...draft.run.limits, rateLimited };
    note(draft, data, envelope);
  },
  "limit.context_warning"(draft, data, envelope) {
    setContext(draft, data, number(data.pct_used) ?? 0, envelope);
  },
  "limit.context_compacted"(draft, data, envelope) {
    draft.run.limits = { ...draft.run.limits, compactions: draft.run.limits.compactions + 1 };
    note(draft, data, envelope);
  },
  "limit.retry_scheduled"(draft, data, envelope) {
    const retry: RetryView = { reason: text(data.reason) ?? "" };
    const more = { attempt: count(data.attempt), maxAttempts: count(data.max_attempts), delayMs: count(data.delay_ms) };
    add(draft, "retries", put(retry, { ...more, at: when(envelope) }));
    const turn = turnAt(draft, undefined);
    if (turn !== undefined) draft.lists.turns.edit(turn).retried = true;
  },

  "gap.events_pruned"(draft, data, envelope) {
    addGap(draft, envelope, data, data.first_pruned_sequence, data.last_pruned_sequence);
    put(draft.run, { agent: key(data.agent) });
    // The beginning of the run was pruned, so the run has started.
    if (draft.run.status === "created") draft.run.status = "running";
  },
  "gap.events_lost"(draft, data, envelope) {
    addGap(draft, envelope, data, data.first_lost_sequence, data.last_lost_sequence);
  },
  "gap.recording_limited"(draft, data, envelope) {
    addGap(draft, envelope, data, envelope.sequence, undefined);
  },
  "gap.artifact_capped"(draft, { limit, message }, envelope) {
    addGap(draft, envelope, { reason: limit, message }, envelope.sequence, undefined);
  },
  "gap.run_disconnected"(draft, data, envelope) {
    addGap(draft, envelope, data, data.since_sequence, undefined);
  },
} satisfies Handlers;

/** Reports the error that ended the run. */
export function reportFailure(draft: Draft, envelope: Envelope, failure: FailureFacts): void {
  reportError(draft, envelope, runFailureOf(failure).message, true);
}

export function reportError(draft: Draft, envelope: Envelope, message: string, fatal: boolean): void {
  const error: ErrorView = { type: envelope.type, message, fatal, data: envelope.data };
  add(draft, "errors", put(error, { code: key(envelope.data.code), at: when(envelope) }));
}

function setContext(
  { run }: Draft,
  data: { readonly used_tokens?: unknown; readonly max_tokens?: unknown },
  pctUsed: number,
  envelope: Envelope,
): void {
  const context: NonNullable<RunLimits["context"]> = {
    usedTokens: count(data.used_tokens) ?? 0,
    maxTokens: count(data.max_tokens) ?? 0,
    pctUsed,
  };
  run.limits = { ...run.limits, context: put(context, { at: when(envelope) }) };
}

function addGap(
  draft: Draft,
  envelope: Envelope,
  data: { readonly reason?: unknown; readonly action?: unknown; readonly message?: unknown },
  first: unknown,
  last: unknown,
): void {
  add(
    draft,
    "gaps",
    put<GapView>(
      { type: envelope.type },
      {
        reason: text(data.reason),
        firstSequence: count(first),
        lastSequence: count(last),
        action: text(data.action),
        message: text(data.message),
        at: when(envelope),
      },
    ),
  );
}
