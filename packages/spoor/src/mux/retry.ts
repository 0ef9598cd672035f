import type { ErrorCode } from "@spoor/protocol";
import type { Fact, Signal } from "../agents/signal.ts";
import { endedWith } from "./ended-with.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

/** When and how often a failed run is tried again, as the same run. */
export interface RetryPolicy {
  /** Retries after the first try; 0 is none. */
  maxAttempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
  /** Up to this part of the delay is added at random, so that many runs do not come back at once. */
  jitterFactor: number;
  retryOn: readonly ErrorCode[];
}

/** What a policy that says only some of it means. Without any policy nothing is tried again. */
export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  jitterFactor: 0.1,
  retryOn: ["RATE_LIMITED", "AGENT_CRASH", "TIMEOUT"],
};

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
