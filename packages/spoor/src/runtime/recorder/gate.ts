/** Does things in the order they come. While it is closed, what comes waits. */
export class Gate {
  /** Resolves when it opens again; undefined while it is open. */
  closed: Promise<void> | undefined;
  readonly #waiting: (() => void)[] = [];

  do(action: () => void): void {
    if (this.closed) this.#waiting.push(action);
    else action();
  }

  /** Closes until something is found out, which is then acted on before all that waits. A failure finds nothing out. */
  closeUntil<T>(found: Promise<T | undefined>, act: (found: T | undefined) => void): void {
    this.closed = found
      .catch(() => undefined)
      .then((value) => {
        this.closed = undefined;
        act(value);
        // One of these may close it again; those after it then wait once more.
        for (const action of this.#waiting.splice(0)) this.do(action);
      });
  }
}
