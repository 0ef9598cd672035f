import type { ErrorCode } from "@spoor/protocol";
import { retriableErrorCodes } from "@spoor/protocol/lines";
import { type Check, listOf, number, objectOf, oneOf, typed, whole } from "./checks.ts";

/** When and how often Spoor starts the agent again after a failure. All attempts belong to the same run. */
export interface RetryPolicy {
  /** The number of retries after the first attempt; 0 disables retries. */
  maxAttempts: number;
  /** The delay before the first retry, in milliseconds. It doubles with each retry. */
  baseDelayMs: number;
  /** The longest delay before a retry, in milliseconds. */
  maxDelayMs: number;
  /** A random part of the delay, at most this fraction of it, is added so that many runs do not retry at the same time. */
  jitterFactor: number;
  /** The error codes that are retried. */
  retryOn: readonly ErrorCode[];
}

/** The values of the fields that a policy leaves out. A run without a policy is never retried. */
export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  jitterFactor: 0.1,
  retryOn: ["RATE_LIMITED", "AGENT_CRASH", "TIMEOUT", "INACTIVITY_TIMEOUT"],
};

const fields: Record<keyof RetryPolicy, Check> = {
  maxAttempts: whole(0),
  baseDelayMs: whole(0),
  maxDelayMs: whole(0),
  jitterFactor: number(0, 1),
  // Agents report some provider failures without a better code than INTERNAL.
  retryOn: listOf(oneOf(...retriableErrorCodes, "INTERNAL")),
};

export const retryPolicy = typed("Partial<RetryPolicy>", objectOf(fields));
