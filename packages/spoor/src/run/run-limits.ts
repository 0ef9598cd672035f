import type { Failure } from "../agents/kit/failures.ts";

export interface Limits {
  /** Milliseconds for the whole run; 0 is no limit. Each retry starts again. */
  timeout?: number;
  /** Milliseconds without any event; 0 is no limit. */
  inactivityTimeout?: number;
  maxTurns?: number;
}

/** Calls back when a run exceeds a time limit or its number of turns. */
export class RunLimits {
  readonly #limits: Limits;
  readonly #onExceeded: (failure: Failure) => void;
  /** Whether the agent is silent because it is paused or waits for an answer. */
  readonly #isWaiting: () => boolean;
  #runTimer: NodeJS.Timeout | undefined;
  #inactivityTimer: NodeJS.Timeout | undefined;
  #turns = 0;

  constructor(limits: Limits, isWaiting: () => boolean, onExceeded: (failure: Failure) => void) {
    this.#limits = limits;
    this.#isWaiting = isWaiting;
    this.#onExceeded = onExceeded;
    this.restart();
  }

  restart(): void {
    this.stop();
    const { timeout, inactivityTimeout } = this.#limits;
    if (timeout) this.#runTimer = setTimeout(() => this.#onExceeded({ type: "timeout", kind: "run" }), timeout);
    if (inactivityTimeout) this.#inactivityTimer = setTimeout(() => this.#onInactive(), inactivityTimeout);
  }

  noteActivity(): void {
    this.#inactivityTimer?.refresh();
  }

  countTurn(): void {
    this.#turns += 1;
    const { maxTurns } = this.#limits;
    if (maxTurns !== undefined && this.#turns > maxTurns) this.#onExceeded({ type: "turn_limit", maxTurns });
  }

  stop(): void {
    clearTimeout(this.#runTimer);
    clearTimeout(this.#inactivityTimer);
  }

  #onInactive(): void {
    if (this.#isWaiting()) this.#inactivityTimer?.refresh();
    else this.#onExceeded({ type: "timeout", kind: "inactivity" });
  }
}
