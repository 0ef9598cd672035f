import type { AgentEvent } from "@spoor/protocol";
import { callSafely, type OnThrow } from "./call-safely.ts";

type Listener = (event: AgentEvent) => unknown;

/**
 * Hands the events of a run to whoever wants them. Listeners get them at once; an iterator gets everything from its
 * creation on, at its own pace. What nobody has taken yet is bounded: `drained` waits while an iterator, or the first
 * one still to come, is more than `limit` events behind, and so the agent's pipe waits too.
 */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #readers = new Set<Reader>();
  /** For the first iterator, which may come late; undefined once somebody takes events. */
  #early: AgentEvent[] | undefined = [];
  #ended = false;
  #detachSlow = false;
  #waits = true;
  #progressed: PromiseWithResolvers<void> | undefined;
  readonly #outgoing: AgentEvent[] = [];
  #isPushing = false;
  readonly #see: Listener;
  readonly #onThrow: OnThrow;
  readonly #limit: number;

  /**
   * `see` gets every event before anybody else. A listener that throws is told to `onThrow`, and harms neither the run
   * nor other listeners. What `see` throws is a fault of our own: it goes to whoever pushed, and later events still pass.
   */
  constructor(see: Listener, onThrow: OnThrow, limit = 1000) {
    this.#see = see;
    this.#onThrow = onThrow;
    this.#limit = limit;
  }

  /** A listener may answer at once, which makes further events: they come after those that are out already. */
  push(events: readonly AgentEvent[]): void {
    for (const event of events) this.#outgoing.push(event);
    if (this.#isPushing) return;
    this.#isPushing = true;
    try {
      for (let event = this.#outgoing.shift(); event; event = this.#outgoing.shift()) this.#hand(event);
    } finally {
      this.#isPushing = false;
    }
  }

  #hand(event: AgentEvent): void {
    this.#see(event);
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

  /** Somebody waits for the result: whoever created an iterator and does not read it no longer counts. */
  detachSlow(): void {
    this.#detachSlow = true;
    if (this.#readers.size === 0) this.#early = undefined;
    this.#progress();
  }

  /** Whether slow iterators are waited for. A run that is told to end does so, whoever has stopped reading. */
  waits(doesWait: boolean): void {
    this.#waits = doesWait;
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

  /** Whether an iterator, or the first one still to come, is as far behind as it may be. */
  get isFull(): boolean {
    if (!this.#waits) return false;
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
  /** Whether anybody ever asked for an event. */
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
    // The taken part is let go in one piece now and then, so that taking stays cheap.
    if (this.#taken === 256) {
      this.#queue = this.#queue.slice(256);
      this.#taken = 0;
    }
    this.#onTake();
    return Promise.resolve({ done: false, value });
  }
}
