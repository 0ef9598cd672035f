import type { ErrorCode } from "@spoor/protocol";
import type { Fact, Signal } from "../agents/signal.ts";
import { endedWith } from "../failures/ended-with.ts";
import type { RetryPolicy } from "../options/retry-policy.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

/** What to tell about a retry, the first being 1. */
export function retryFact(policy: RetryPolicy, attempt: number, failure: Failure, random: () => number): Fact<"retry"> {
  const delayMs = retryDelay(policy, attempt, failure, random);
  return { type: "retry", attempt, maxAttempts: policy.maxAttempts, reason: retryReason(failure), delayMs };
}

export const retryReason = (failure: Failure): string => `${codeOf(failure)}: ${reasonOf(failure)}`;

/** Milliseconds before the given retry, the first being 1: doubled each time, but never less than the agent was told. */
export function retryDelay(
  { baseDelayMs, maxDelayMs, jitterFactor }: RetryPolicy,
  retry: number,
  failure: Failure,
  random: () => number,
): number {
  const delay = Math.min(baseDelayMs * 2 ** (retry - 1), maxDelayMs) * (1 + random() * jitterFactor);
  const told = failure.type === "rate_limit_error" ? (failure.retryAfterMs ?? 0) : 0;
  return Math.round(Math.max(delay, told));
}

/** The code a failure has as an error; none for what somebody asked for. */
export function codeOf(failure: Failure): ErrorCode | undefined {
  if (failure.type === "error") return failure.code;
  if (failure.type === "timeout") return failure.kind === "run" ? "TIMEOUT" : "INACTIVITY_TIMEOUT";
  return codes[failure.type];
}

function reasonOf(failure: Failure): string {
  if ("message" in failure) return failure.message;
  if (failure.type === "crash") return endedWith(failure.exitCode);
  if (failure.type === "timeout") return `The ${failure.kind} limit was reached.`;
  return failure.type;
}

const codes: Partial<Record<Failure["type"], ErrorCode>> = {
  rate_limit_error: "RATE_LIMITED",
  crash: "AGENT_CRASH",
  auth_error: "AUTH_ERROR",
  context_exceeded: "CONTEXT_EXCEEDED",
};
