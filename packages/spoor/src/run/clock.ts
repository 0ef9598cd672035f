import { setTimeout as sleep } from "node:timers/promises";

/** The source of randomness and delays. Tests replace it. */
export interface RunClock {
  /** Returns a float in [0, 1). */
  random(): number;
  /** Rejects when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: RunClock = {
  random: Math.random,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};
