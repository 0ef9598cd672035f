import type { Envelope } from "@spoor/protocol";
import type { Failure } from "../../agents/kit/failures.ts";
import type { Fact } from "../../agents/signal.ts";
import { errorTable } from "../../failures/error-table.ts";
import { retryReason } from "../../run/retry.ts";

/** That we tried a run again, after its process had ended. */
export interface Retry {
  at: number;
  fact: Fact<"retry">;
  /** It was we who had ended the process. */
  cause?: Failure;
}

/** Read from the envelopes they left. An agent's own retries are not among them: its lines tell those. */
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

/** Ours begin with the code of the failure. */
const isOurs = (reason: string): boolean => Object.hasOwn(errorTable, reason.slice(0, reason.indexOf(":")));

const timeouts: readonly Failure[] = [
  { type: "timeout", kind: "run" },
  { type: "timeout", kind: "inactivity" },
];
