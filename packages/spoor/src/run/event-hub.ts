import type { AgentEvent } from "@spoor/protocol";
import { callSafely, type OnThrow } from "./call-safely.ts";

type Listener = (event: AgentEvent) => unknown;

/**
 * Distributes the events of a run. Listeners get them at once; an iterator gets all events since its creation, at its own
 * pace, and the first iterator gets all events since the start. The backlog is bounded: `drained` waits while an iterator,
 * or the first one that is still to come, is `limit` events behind, and the code that reads the agent's output awaits it.
 */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #readers = new Set<Reader>();
  /** Events for the first iterator, which may be created late; undefined once somebody listens or iterates. */
  #early: AgentEvent[] | undefined = [];
  #ended = false;
  #detachSlow = false;
  #hasBackpressure = true;
  #progressed: PromiseWithResolvers<void> | undefined;
  readonly #outgoing: AgentEvent[] = [];
  #isPushing = false;
  readonly #onEvent: Listener;
  readonly #onThrow: OnThrow;
  readonly #limit: number;

  /**
   * `onEvent` gets every event first. An error thrown by a listener goes to `onThrow` and affects neither the run nor other
   * listeners. An error thrown by `onEvent` is a bug in Spoor: `push` rethrows it, and later events are still delivered.
   */
  constructor(onEvent: Listener, onThrow: OnThrow, limit = 1000) {
    this.#onEvent = onEvent;
    this.#onThrow = onThrow;
    this.#limit = limit;
  }

  /** A listener may cause further events, for example by answering; they are delivered after the current ones. */
  push(events: readonly AgentEvent[]): void {
    for (const event of events) this.#outgoing.push(event);
    if (this.#isPushing) return;
    this.#isPushing = true;
    try {
      for (let event = this.#outgoing.shift(); event; event = this.#outgoing.shift()) this.#deliver(event);
    } finally {
      this.#isPushing = false;
    }
  }

  #deliver(event: AgentEvent): void {
    this.#onEvent(event);
    for (const type of [event.type, "*"]) {
      for (const listener of this.#listeners.get(type) ?? [])
        callSafely(this.#onThrow, listener, () => listener(event));
    }
    this.#early?.push(event);
    for (const reader of this.#readers) reader.push(event);
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.end();
  }

  /** Resolves when every iterator has room. */
  async drained(): Promise<void> {
    while (this.isFull) {
      this.#progressed ??= Promise.withResolvers();
      await this.#progressed.promise;
    }
  }

  /**
   * Call this when somebody awaits the result. Iterators that were created but never read then no longer cause backpressure.
   */
  detachSlow(): void {
    this.#detachSlow = true;
    if (this.#readers.size === 0) this.#early = undefined;
    this.#progress();
  }

  /** Turns backpressure off for a run that is stopped, so that it ends even if nobody reads its events any more. */
  setBackpressure(isOn: boolean): void {
    this.#hasBackpressure = isOn;
    this.#progress();
  }

  on(type: string, listener: Listener): void {
    this.#early = undefined;
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    this.#progress();
  }

  off(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  iterate(): AsyncIterator<AgentEvent> {
    const reader = new Reader(this.#early ?? [], () => this.#progress());
    this.#early = undefined;
    if (this.#ended) reader.end();
    this.#readers.add(reader);
    return {
      next: () => reader.next(),
      return: () => {
        this.#readers.delete(reader);
        this.#progress();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** Whether the backlog of an iterator, or of the first one that is still to come, has reached the limit. */
  get isFull(): boolean {
    if (!this.#hasBackpressure) return false;
    if ((this.#early?.length ?? 0) >= this.#limit) return true;
    for (const reader of this.#readers) {
      if (reader.behind < this.#limit) continue;
      if (!this.#detachSlow || reader.isRead) return true;
      this.#readers.delete(reader);
    }
    return false;
  }

  #progress(): void {
    this.#progressed?.resolve();
    this.#progressed = undefined;
  }
}

class Reader {
  #queue: AgentEvent[];
  #taken = 0;
  #waiting: ((result: IteratorResult<AgentEvent>) => void) | undefined;
  #ended = false;
  readonly #onTake: () => void;
  /** Whether `next` was ever called. */
  isRead = false;

  constructor(queue: AgentEvent[], onTake: () => void) {
    this.#queue = queue;
    this.#onTake = onTake;
  }

  get behind(): number {
    return this.#queue.length - this.#taken;
  }

  push(event: AgentEvent): void {
    if (this.#waiting) {
      this.#waiting({ done: false, value: event });
      this.#waiting = undefined;
    } else this.#queue.push(event);
  }

  end(): void {
    this.#ended = true;
    this.#waiting?.({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  next(): Promise<IteratorResult<AgentEvent>> {
    this.isRead = true;
    const value = this.#queue[this.#taken];
    if (value === undefined) {
      if (this.#ended) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => {
        this.#waiting = resolve;
      });
    }
    this.#taken += 1;
    // Dropping taken events in blocks keeps `next` cheap: `shift` would move the whole backlog each time.
    if (this.#taken === 256) {
      this.#queue = this.#queue.slice(256);
      this.#taken = 0;
    }
    this.#onTake();
    return Promise.resolve({ done: false, value });
  }
}
