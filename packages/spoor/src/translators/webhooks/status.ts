import type { WebhookRecord, WebhookTest } from "@spoor/protocol/api";
import { instant } from "@spoor/protocol/lines";
import type { Delivery } from "./delivery.ts";
import type { Receiver } from "./receiver.ts";
import type { SecretSource } from "./secrets.ts";

export type WebhookStatus = WebhookRecord;
export type Test = WebhookTest;

/** At most this many runs that wait are listed. */
const SHOWN = 20;

/** A receiver as the server shows it. */
export function statusOf(
  { receiver, secrets, delivery }: { receiver: Receiver; secrets: SecretSource; delivery: Delivery },
  lastPosition: number,
  types: readonly string[],
): WebhookRecord {
  const { state, lanes, position, nextAttempt } = delivery;
  const { delivered, failed_attempts, given_up, last_delivered_at, last_failure, disabled_at } = state;
  return {
    webhook_id: receiver.id,
    url: receiver.shownUrl,
    state: disabled_at !== undefined ? "disabled" : nextAttempt !== undefined ? "out_of_reach" : "delivering",
    types: [...types],
    secret_place: secrets.place,
    position,
    events_behind: Math.max(0, lastPosition - position),
    runs_behind: lanes.size,
    delivered,
    failed_attempts,
    given_up,
    ...(last_delivered_at !== undefined && { last_delivered_at: instant(last_delivered_at) }),
    ...(last_failure && { last_failure: { at: instant(last_failure.at), detail: last_failure.detail } }),
    ...(nextAttempt !== undefined && { next_attempt_at: instant(wallClock(nextAttempt)) }),
    ...(disabled_at !== undefined && { disabled_at: instant(disabled_at) }),
    waiting_runs: lanes
      .failing()
      .slice(0, SHOWN)
      .map(({ run_id, dueAt, failing: { sequence, since, attempts, detail } }) => ({
        run_id,
        sequence,
        since: instant(since),
        attempts,
        detail,
        ...(dueAt > 0 && { next_attempt_at: instant(wallClock(dueAt)) }),
      })),
    recently_given_up: state.recently_given_up.map(({ at, ...rest }) => ({ ...rest, at: instant(at) })),
  };
}

/** The epoch milliseconds of a time of `performance.now()`. */
const wallClock = (time: number): number => Math.round(Date.now() + time - performance.now());
