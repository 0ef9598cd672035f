/** Makes callers wait while a run is paused: they await `opened`. */
export class PauseGate {
  #closed: PromiseWithResolvers<void> | undefined;

  /** Resolves when the run is resumed; undefined while it is not paused. */
  get opened(): Promise<void> | undefined {
    return this.#closed?.promise;
  }

  close(): void {
    this.#closed ??= Promise.withResolvers();
  }

  open(): void {
    this.#closed?.resolve();
    this.#closed = undefined;
  }
}
