import type { SavedLane } from "./lanes.ts";

/**
 * What is saved of a receiver, beside its position: every chosen event up to it is delivered or belongs to a run in `runs`.
 * The backlog itself stays in the log. Times are epoch milliseconds.
 */
export interface ReceiverState {
  /** The runs of which events up to the position are not delivered yet. */
  runs: Record<string, SavedLane>;
  delivered: number;
  failed_attempts: number;
  given_up: number;
  /** The newest events that were given up. */
  recently_given_up: GivenUp[];
  last_delivered_at?: number;
  last_failure?: { at: number; detail: string };
  /** Set if the receiver answered 410 Gone. */
  disabled_at?: number;
}

/** An event that the receiver will never get. */
export interface GivenUp {
  run_id: string;
  sequence: number;
  at: number;
  detail: string;
}

export const newState = (): ReceiverState => ({
  runs: {},
  delivered: 0,
  failed_attempts: 0,
  given_up: 0,
  recently_given_up: [],
});
