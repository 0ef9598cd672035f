import type { BackOff } from "../back-off.ts";

/** How deliveries are paced. Times are milliseconds. */
export interface Pace {
  /** Requests at the same time, to one receiver. */
  concurrency: number;
  /** From this many runs behind on, the log is not read any further. */
  mostRuns: number;
  /** Waits of a run whose event is refused. */
  refused: BackOff;
  /** Waits while the receiver is out of reach. */
  outOfReach: BackOff;
  /** How long an event is tried that the receiver refuses. */
  maxAge: number;
}

/** How deliveries are paced if nothing else is said. */
export const usualPace: Pace & { timeout: number } = {
  concurrency: 4,
  mostRuns: 64,
  refused: { first: 1_000, longest: 3_600_000 },
  outOfReach: { first: 1_000, longest: 300_000 },
  maxAge: 3 * 86_400_000,
  timeout: 15_000,
};
