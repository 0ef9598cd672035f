import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "../runtime/commit.ts";
import { compact } from "./context.ts";
import { type LoopRun, readOn, type TurnEnd } from "./loop-run.ts";
import { CutOffError } from "./model-call.ts";
import { endOf } from "./providers/failures.ts";
import type { ModelFailure } from "./providers/provider.ts";

/** A model call that failed is repeated at most this often. */
const MAX_RETRIES = 4;
/** A provider that asks to wait longer is asked again after this time. */
const MAX_WAIT_MS = 300_000;

/**
 * Tells that a model call failed. If a retry can help, the turn ends, the run waits, and the next turn is the retry;
 * otherwise the run ends.
 */
export async function tellFailure(run: LoopRun, error: unknown, turn_index: number): Promise<TurnEnd> {
  const failure = failureOf(run, error);
  const { record, model } = run;
  run.failures += 1;
  const willRetry = failure.retriable && run.failures <= MAX_RETRIES;
  const mayCompact = failure.kind === "context" && run.failures === 1;
  const { message, status, retriable } = failure;
  record.own([
    [
      "error.upstream",
      {
        ...{ provider: model.provider, message, retriable, attempt: run.failures, max_attempts: MAX_RETRIES + 1 },
        ...(status !== undefined && { status }),
      },
    ],
  ]);
  const failed: RunEvent = [
    "turn.failed",
    { turn_index, code: codes[failure.kind], message, will_retry: willRetry || mayCompact },
  ];
  if (willRetry) {
    const delayMs = Math.min(MAX_WAIT_MS, Math.round(failure.retryAfterMs ?? run.backoffMs(run.failures)));
    const retry = { attempt: run.failures, maxAttempts: MAX_RETRIES, reason: message, delayMs };
    record.tell([{ kind: "fact", fact: { type: "retry", ...retry } }], { beforeTurnEnd: [failed] });
    await readOn(run);
    await sleep(delayMs, undefined, { signal: run.signal }).catch(() => {});
    return { next: "go" };
  }
  // What the model had said is no answer.
  const fields = { "assistant.final_answer": false } as const;
  record.tell([{ kind: "promptDone" }], { beforeTurnEnd: [failed], fields });
  await readOn(run);
  if (mayCompact && (await compact(run, { must: true }))) return { next: "go" };
  return { next: "end", failure: endOf(failure) };
}

function failureOf(run: LoopRun, error: unknown): ModelFailure {
  if (error instanceof CutOffError)
    return { kind: "cut_off", code: "UPSTREAM_ERROR", message: error.message, retriable: true };
  return run.failureOf(error);
}

/** The codes of `turn.failed`. */
const codes: Readonly<Record<ModelFailure["kind"], string>> = {
  auth: "auth_error",
  rate_limit: "rate_limited",
  overloaded: "overloaded",
  context: "context_exceeded",
  unreachable: "upstream_unreachable",
  cut_off: "upstream_cut_off",
  invalid: "upstream_invalid",
  other: "upstream_error",
};
