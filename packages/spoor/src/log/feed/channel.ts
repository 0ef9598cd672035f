import type { Page } from "../log.ts";
import type { Batch, FeedSource } from "./source.ts";

export interface Reader {
  /** Asked before anything is handed over, by readers that share their room with others. False is as from `take`. */
  hasRoom?(): boolean;
  /** Takes the next events. False: there is no room for more until `resume` is called. */
  take(batch: Batch): boolean;
  /** Everything that was committed so far has been taken. */
  caughtUp?(): void;
  /** The log could not be read; the subscription is over. */
  failed(error: unknown): void;
}

export interface Subscription {
  readonly cursor: number;
  /** The terminal event of the run has been committed since this subscription began. */
  readonly ended: boolean;
  resume(): void;
  close(): void;
}

const MOST_BATCHES = 32;
const MOST_PAGES = 16;

/** Those who follow the same source. */
export class Channel {
  readonly key: readonly unknown[];
  ended = false;
  /** Something was committed, and `pump` is about to be called. */
  stirred = false;
  readonly #source: FeedSource;
  readonly #onEmpty: (channel: Channel) => void;
  readonly #cursors = new Set<Cursor>();
  /** Those whose reader has room: the others cost a commit nothing, however many they are. */
  readonly #ready = new Set<Cursor>();
  /** What follows a cursor: whole batches, and others as long as nothing new has come. */
  readonly #recent = new Map<number, Batch | undefined>();
  readonly #reading = new Map<number, Promise<Page>>();
  /** Pages that cannot grow, for a crowd that reads up from the same place. */
  readonly #pages = new Map<number, Page>();

  constructor(source: FeedSource, onEmpty: (channel: Channel) => void) {
    this.key = source.key;
    this.#source = source;
    this.#onEmpty = onEmpty;
  }

  follow(after: number, reader: Reader): Subscription {
    const cursor = new Cursor(this, after, reader);
    this.#cursors.add(cursor);
    this.#ready.add(cursor);
    setImmediate(() => cursor.wake());
    return cursor;
  }

  /** Something was committed. */
  pump(): void {
    this.stirred = false;
    for (const [after, batch] of this.#recent) if (!batch?.whole) this.#recent.delete(after);
    // A page that is being read may not show it; who joins from now on must see it.
    this.#reading.clear();
    for (const cursor of this.#ready) cursor.wake();
  }

  /** Whether a reader has room, whenever that changes. */
  ready(cursor: Cursor, hasRoom: boolean): void {
    if (hasRoom) this.#ready.add(cursor);
    else this.#ready.delete(cursor);
  }

  recent(after: number): Batch | undefined {
    if (this.#recent.has(after)) return this.#recent.get(after);
    const batch = this.#source.recent(after);
    remember(this.#recent, after, batch, MOST_BATCHES);
    return batch;
  }

  /** A page of the store; a `fresh` one when what was read before may have been pruned. */
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
 * One reader's place. Either it hands over (`wake` to the end of what is there), or it waits: for the reader to make
 * room, for a page of the store, or for the next commit.
 */
class Cursor implements Subscription {
  cursor: number;
  readonly #channel: Channel;
  readonly #reader: Reader;
  #full = false;
  #reading = false;
  /** Only the store knows what was pruned meanwhile, so that is where reading begins. */
  #begun = false;
  /** A commit came while a page was read, which may not show it. */
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
    if (this.#full) this.#channel.ready(this, true);
    this.#full = false;
    // The little that came since the others were last served goes to all at once.
    if (this.#channel.stirred && this.#begun && this.#channel.recent(this.cursor)?.whole === false) return;
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
    if (!this.#closed) this.#channel.ready(this, false);
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
      // While it was read, another may have taken the room.
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
