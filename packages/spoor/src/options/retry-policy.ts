import type { ErrorCode } from "@spoor/protocol";

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
