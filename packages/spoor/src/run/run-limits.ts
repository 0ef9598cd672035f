import type { Failure } from "./retry.ts";

export interface Limits {
  /** Milliseconds for the whole run, and without any output; 0 is no limit. A retry has as long again. */
  timeout?: number;
  inactivityTimeout?: number;
  maxTurns?: number;
}

/** Watches how long and how far a run goes, and says when it is too much. */
export class RunLimits {
  readonly #limits: Limits;
  readonly #onExceeded: (failure: Failure) => void;
  /** Whether silence is ours, paused or asked, and not the agent's. */
  readonly #isWaiting: () => boolean;
  #runTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
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
    if (inactivityTimeout) this.#silenceTimer = setTimeout(() => this.#silent(), inactivityTimeout);
  }

  heard(): void {
    this.#silenceTimer?.refresh();
  }

  turn(): void {
    this.#turns += 1;
    const { maxTurns } = this.#limits;
    if (maxTurns !== undefined && this.#turns > maxTurns) this.#onExceeded({ type: "turn_limit", maxTurns });
  }

  stop(): void {
    clearTimeout(this.#runTimer);
    clearTimeout(this.#silenceTimer);
  }

  #silent(): void {
    if (this.#isWaiting()) this.#silenceTimer?.refresh();
    else this.#onExceeded({ type: "timeout", kind: "inactivity" });
  }
}
