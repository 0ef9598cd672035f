/** Emits a warning when a listener or the observer of a run throws. */
export class ThrowReporter {
  readonly #observer: object | undefined;
  readonly #warn: (message: string) => void;
  readonly #reported = new WeakSet<object>();

  constructor(observer: object | undefined, warn: (message: string) => void) {
    this.#observer = observer;
    this.#warn = warn;
  }

  /** Reports each culprit once, because a listener that always throws would also throw when it receives the warning. */
  readonly report = (error: unknown, culprit: object): void => {
    if (this.#reported.has(culprit)) return;
    this.#reported.add(culprit);
    const who = culprit === this.#observer ? "An observer" : "A listener";
    this.#warn(`${who} threw: ${error instanceof Error ? error.message : String(error)}`);
  };
}
