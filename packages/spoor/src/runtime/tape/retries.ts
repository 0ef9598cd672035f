import type { Envelope } from "@spoor/protocol";
import type { Failure } from "../../agents/kit/failures.ts";
import type { Fact } from "../../agents/signal.ts";
import { errorTable } from "../../failures/error-table.ts";
import { retryReason } from "../../run/retry.ts";

/** A retry that Spoor made: it started the agent again after the process had ended. */
export interface Retry {
  at: number;
  fact: Fact<"retry">;
  /** The timeout for which Spoor ended the process. */
  cause?: Failure;
}

/** Reads them from the stored envelopes. Retries that the agent made itself are not included; they are in its raw lines. */
export const retriesOf = (envelopes: readonly Envelope[]): Retry[] =>
  envelopes
    .filter(({ type, data }) => type === "limit.retry_scheduled" && isOurs(String(data.reason)))
    .map(({ data, occurred_at }) => {
      const reason = String(data.reason);
      const numbers = {
        attempt: Number(data.attempt),
        maxAttempts: Number(data.max_attempts),
        delayMs: Number(data.delay_ms),
      };
      const cause = timeouts.find((timeout) => retryReason(timeout) === reason);
      return {
        at: Date.parse(occurred_at),
        fact: { type: "retry", reason, ...numbers },
        ...(cause && { cause }),
      };
    });

/** The reason of Spoor's own retries begins with an error code. */
const isOurs = (reason: string): boolean => Object.hasOwn(errorTable, reason.slice(0, reason.indexOf(":")));

const timeouts: readonly Failure[] = [
  { type: "timeout", kind: "run" },
  { type: "timeout", kind: "inactivity" },
];
