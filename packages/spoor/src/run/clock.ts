import { setTimeout as sleep } from "node:timers/promises";

/** Chance and waiting, for tests to replace. */
export interface Clock {
  /** A float in [0, 1). */
  random(): number;
  /** Rejects when it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  random: Math.random,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};
