import type { ErrorCode } from "@spoor/protocol";
import { isErrorCode, runFailureOf } from "@spoor/protocol/write";
import type { Failure } from "../agents/kit/failures.ts";
import type { Fact } from "../agents/signal.ts";
import type { RetryPolicy } from "../options/retry-policy.ts";

/** Returns a function that decides whether a failure is retried: the policy must list its code and allow another retry. */
export const isRetriedBy =
  ({ maxAttempts, retryOn }: RetryPolicy) =>
  (failure: Failure, retries: number): boolean => {
    const code = codeOf(failure);
    return code !== undefined && retries < maxAttempts && retryOn.includes(code);
  };

/** Returns the fact that announces a retry; the first retry is attempt 1. */
export function retryFact(policy: RetryPolicy, attempt: number, failure: Failure, random: () => number): Fact<"retry"> {
  const delayMs = retryDelay(policy, attempt, failure, random);
  return { type: "retry", attempt, maxAttempts: policy.maxAttempts, reason: retryReason(failure), delayMs };
}

export function retryReason(failure: Failure): string {
  const { code, message } = runFailureOf(failure);
  return `${code}: ${message}`;
}

/**
 * Returns the delay before a retry in milliseconds. It doubles with each retry, and is never less than the service asked
 * for.
 */
export function retryDelay(
  { baseDelayMs, maxDelayMs, jitterFactor }: RetryPolicy,
  retry: number,
  failure: Failure,
  random: () => number,
): number {
  const delay = Math.min(baseDelayMs * 2 ** (retry - 1), maxDelayMs) * (1 + random() * jitterFactor);
  const asked = failure.type === "rate_limit_error" ? (failure.retryAfterMs ?? 0) : 0;
  return Math.round(Math.max(delay, asked));
}

/** Returns the code by which a retry policy names a failure; undefined if a person or the turn limit ended the run. */
export function codeOf(failure: Failure): ErrorCode | undefined {
  const { code, exitReason } = runFailureOf(failure);
  return exitReason !== "aborted" && isErrorCode(code) ? code : undefined;
}
