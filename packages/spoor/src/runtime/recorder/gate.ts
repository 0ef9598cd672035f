/** Runs actions in order. While the gate is closed, they wait. */
export class Gate {
  /** Resolves when the gate opens again; undefined while it is open. */
  closed: Promise<void> | undefined;
  readonly #waiting: (() => void)[] = [];

  do(action: () => void): void {
    if (this.closed) this.#waiting.push(action);
    else action();
  }

  /** Closes until the lookup ends, then runs `act` before the actions that wait. A failed lookup counts as undefined. */
  closeUntil<T>(found: Promise<T | undefined>, act: (found: T | undefined) => void): void {
    this.closed = found
      .catch(() => undefined)
      .then((value) => {
        this.closed = undefined;
        act(value);
        // An action may close the gate again; the actions after it then keep waiting.
        for (const action of this.#waiting.splice(0)) this.do(action);
      });
  }
}
