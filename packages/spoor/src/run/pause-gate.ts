/** Holds up whoever awaits `opened` while a run is paused. */
export class PauseGate {
  #closed: PromiseWithResolvers<void> | undefined;

  /** Undefined while nothing is to be waited for. */
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
