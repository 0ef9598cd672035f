import type { Page } from "../log.ts";
import type { Batch, FeedSource } from "./source.ts";

/** Takes the events of a feed. */
export interface Reader {
  /** Called before every `take`, for readers that share a buffer with others. False has the same meaning as from `take`. */
  hasRoom?(): boolean;
  /** Takes the next events. Returns false for backpressure: no more come until `resume` is called. */
  take(batch: Batch): boolean;
  /** Called when the reader has taken everything that is committed. */
  caughtUp?(): void;
  /** Called when the log could not be read. The subscription is over. */
  failed(error: unknown): void;
}

/** A reader that follows a feed. Its cursor is the place of the last event that it took. */
export interface FeedSubscription {
  readonly cursor: number;
  /** Whether the terminal event of the run was committed since this subscription began. */
  readonly ended: boolean;
  resume(): void;
  close(): void;
}

const MOST_BATCHES = 32;
const MOST_PAGES = 16;

/** The subscribers of one source. */
export class Channel {
  readonly key: readonly unknown[];
  ended = false;
  /** Whether events were committed since the last `pump`. */
  isDirty = false;
  readonly #source: FeedSource;
  readonly #onEmpty: (channel: Channel) => void;
  readonly #cursors = new Set<Cursor>();
  /** The cursors without backpressure. The others cost a commit nothing, however many there are. */
  readonly #ready = new Set<Cursor>();
  /** The batch that follows a cursor. `pump` drops those that may have grown. */
  readonly #recent = new Map<number, Batch | undefined>();
  readonly #reading = new Map<number, Promise<Page>>();
  /** Pages of the store that cannot grow, for many readers that catch up from the same place. */
  readonly #pages = new Map<number, Page>();

  constructor(source: FeedSource, onEmpty: (channel: Channel) => void) {
    this.key = source.key;
    this.#source = source;
    this.#onEmpty = onEmpty;
  }

  follow(after: number, reader: Reader): FeedSubscription {
    const cursor = new Cursor(this, after, reader);
    this.#cursors.add(cursor);
    this.#ready.add(cursor);
    setImmediate(() => cursor.wake());
    return cursor;
  }

  /** Serves all cursors after a commit. */
  pump(): void {
    this.isDirty = false;
    for (const [after, batch] of this.#recent) if (!batch?.whole) this.#recent.delete(after);
    // A page that is being read may lack the new events, so later readers must not share it.
    this.#reading.clear();
    for (const cursor of this.#ready) cursor.wake();
  }

  /** Call it whenever the backpressure of a cursor changes. */
  setReady(cursor: Cursor, isReady: boolean): void {
    if (isReady) this.#ready.add(cursor);
    else this.#ready.delete(cursor);
  }

  recent(after: number): Batch | undefined {
    if (this.#recent.has(after)) return this.#recent.get(after);
    const batch = this.#source.recent(after);
    remember(this.#recent, after, batch, MOST_BATCHES);
    return batch;
  }

  /** Reads a page of the store. `fresh` reads it again, because events may have been pruned since it was read. */
  async read(after: number, fresh: boolean): Promise<Page> {
    const known = fresh ? undefined : this.#pages.get(after);
    if (known) return known;
    const running = this.#reading.get(after) ?? this.#source.read(after);
    this.#reading.set(after, running);
    try {
      const page = await running;
      if (page.more) remember(this.#pages, after, page, MOST_PAGES);
      else this.#pages.clear();
      return page;
    } finally {
      if (this.#reading.get(after) === running) this.#reading.delete(after);
    }
  }

  leave(cursor: Cursor): void {
    this.#ready.delete(cursor);
    if (this.#cursors.delete(cursor) && this.#cursors.size === 0) this.#onEmpty(this);
  }

  close(): void {
    for (const cursor of this.#cursors) cursor.close();
  }
}

/**
 * One subscriber. `wake` hands over events until there are none left; then the cursor waits for the next commit. It also
 * waits while the reader applies backpressure (`#full`) and while a page of the store is read (`#reading`).
 */
class Cursor implements FeedSubscription {
  cursor: number;
  readonly #channel: Channel;
  readonly #reader: Reader;
  #full = false;
  #reading = false;
  /** The first read goes to the store, because only the store knows what was pruned. */
  #begun = false;
  /** Whether there was a commit while a page was read. The page may lack its events. */
  #missed = false;
  #closed = false;

  constructor(channel: Channel, after: number, reader: Reader) {
    this.#channel = channel;
    this.cursor = after;
    this.#reader = reader;
  }

  get ended(): boolean {
    return this.#channel.ended;
  }

  resume(): void {
    if (this.#closed) return;
    if (this.#full) this.#channel.setReady(this, true);
    this.#full = false;
    // The few events since the last `pump` go to all cursors with the next one.
    if (this.#channel.isDirty && this.#begun && this.#channel.recent(this.cursor)?.whole === false) return;
    this.wake();
  }

  close(): void {
    this.#closed = true;
    this.#channel.leave(this);
  }

  wake(): void {
    this.#missed = true;
    while (!this.#closed && !this.#full && !this.#reading) {
      if (this.#reader.hasRoom?.() === false) {
        this.#wait();
        return;
      }
      const batch = this.#begun ? this.#channel.recent(this.cursor) : undefined;
      if (!batch) {
        void this.#read();
        return;
      }
      if (batch.next === this.cursor) {
        this.#reader.caughtUp?.();
        return;
      }
      this.#take(batch);
    }
  }

  #take(batch: Batch): void {
    this.cursor = batch.next;
    if (batch.pieces.length > 0 && !this.#reader.take(batch)) this.#wait();
  }

  #wait(): void {
    this.#full = true;
    if (!this.#closed) this.#channel.setReady(this, false);
  }

  async #read(): Promise<void> {
    const isFirst = !this.#begun;
    this.#begun = true;
    this.#reading = true;
    this.#missed = false;
    try {
      const page = await this.#channel.read(this.cursor, isFirst);
      this.#reading = false;
      if (this.#closed) return;
      // Another reader may have filled the shared buffer meanwhile.
      if (this.#reader.hasRoom?.() === false) this.#wait();
      else if (page.next > this.cursor) this.#take(page);
      if (page.more || this.#missed) this.wake();
      else if (!this.#full && !this.#closed) this.#reader.caughtUp?.();
    } catch (error) {
      this.#reading = false;
      if (this.#closed) return;
      this.close();
      this.#reader.failed(error);
    }
  }
}

function remember<Value>(known: Map<number, Value>, key: number, value: Value, most: number): void {
  const [oldest] = known.size < most ? [] : known.keys();
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}
