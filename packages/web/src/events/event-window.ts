import { messageOf } from "../ui/message-of.ts";
import { type EventRow, PAGE_LIMIT, type ReadPage } from "./event-source.ts";

/** What the table shows: at most `WINDOW` events that follow each other, of a list that may be far longer. */
export interface WindowState {
  readonly rows: readonly EventRow[];
  readonly state: "loading" | "ready" | "failed";
  /** There are earlier events than the first row. */
  readonly hasOlder: boolean;
  /** There are later events than the last row. */
  readonly hasNewer: boolean;
  /** Events that came in and are not shown yet. */
  readonly fresh: number;
  /** Rows that were put before (or taken from before) the others by the last change. */
  readonly shifted: number;
  readonly problem?: string;
}

/** How many events were committed, and up to which cursor. */
export interface Growth {
  readonly count: number;
  readonly upTo: number;
}

const WINDOW = 2_000;
/** Looking back under a filter goes on until so many events were found. */
const ENOUGH = 100;

interface Options {
  readonly read: ReadPage;
  /** The last cursor of the list when it is opened. */
  readonly last: () => Promise<number>;
  readonly window?: number;
  readonly page?: number;
}

/** Reads a long list of events in both directions and keeps a window of it. */
export class EventWindow {
  #state: WindowState = { rows: [], state: "loading", hasOlder: false, hasNewer: false, fresh: 0, shifted: 0 };
  readonly #listeners = new Set<() => void>();
  readonly #options: Required<Options>;
  /** Everything before this cursor was not looked at yet. */
  #first = 0;
  /** Everything up to this cursor was looked at. */
  #last = -1;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: Options) {
    this.#options = { window: WINDOW, page: PAGE_LIMIT, ...options };
  }

  readonly read = (): WindowState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows the end of the list. */
  toEnd(): Promise<void> {
    return this.#next(async () => {
      const last = await this.#options.last();
      const found = await this.#before(last + 1);
      this.#first = found.from + 1;
      this.#last = last;
      this.#set({ rows: found.rows, hasOlder: found.from >= 0, hasNewer: false, fresh: 0, shifted: 0 });
      await this.#append();
    });
  }

  /** Shows the events around a cursor. */
  around(cursor: number): Promise<void> {
    return this.#next(async () => {
      const found = await this.#before(cursor);
      this.#first = found.from + 1;
      this.#last = cursor - 1;
      this.#set({ rows: found.rows, hasOlder: found.from >= 0, hasNewer: true, fresh: 0, shifted: 0 });
      await this.#append();
    });
  }

  older(): Promise<void> {
    return this.#next(async () => {
      if (!this.#state.hasOlder) return;
      const found = await this.#before(this.#first);
      this.#first = found.from + 1;
      const all = [...found.rows, ...this.#state.rows];
      const rows = all.slice(0, this.#options.window);
      if (rows.length < all.length) this.#last = rows.at(-1)?.cursor ?? this.#last;
      const hasNewer = this.#state.hasNewer || rows.length < all.length;
      this.#set({ rows, hasOlder: found.from >= 0, hasNewer, shifted: found.rows.length });
    });
  }

  newer(): Promise<void> {
    return this.#next(() => this.#append());
  }

  /**
   * `count` events up to the cursor `upTo` were committed. `isWatched`: the end is in view, so they are shown at once. A page
   * that was read before this was told may hold them already.
   */
  grow({ count, upTo }: Growth, isWatched: boolean): Promise<void> {
    if (isWatched) return this.#next(() => this.#append());
    const unseen = Math.min(count, upTo - this.#last);
    if (upTo > this.#last) this.#set({ hasNewer: true, fresh: this.#state.fresh + unseen, shifted: 0 });
    return Promise.resolve();
  }

  open(): void {
    this.#isClosed = false;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The events before a cursor: at least a page of the list or, under a filter, as much as finds enough of them. */
  async #before(cursor: number): Promise<{ rows: EventRow[]; from: number }> {
    const { page } = this.#options;
    let rows: EventRow[] = [];
    let from = cursor - 1;
    for (let width = page; from >= 0 && rows.length < Math.min(ENOUGH, page); width *= 4) {
      const until = from;
      from = Math.max(-1, from - width);
      rows = [...(await this.#between(from, until)), ...rows];
    }
    const kept = rows.slice(-this.#options.window);
    return { rows: kept, from: kept.length < rows.length ? (kept[0]?.cursor ?? 0) - 1 : from };
  }

  /** The events after `from` up to `until`. */
  async #between(from: number, until: number): Promise<EventRow[]> {
    const rows: EventRow[] = [];
    for (let after = from, more = true; more && after < until; ) {
      const page = await this.#options.read(after, { limit: this.#options.page });
      rows.push(...page.rows.filter(({ cursor }) => cursor <= until));
      more = page.hasMore && page.next > after;
      after = page.next;
    }
    return rows;
  }

  /** Reads the next page. The window drops its oldest events. */
  async #append(): Promise<void> {
    const page = await this.#options.read(this.#last, { limit: this.#options.page });
    this.#last = Math.max(this.#last, page.next);
    const known = this.#state.rows.at(-1)?.cursor ?? -1;
    const all = [...this.#state.rows, ...page.rows.filter(({ cursor }) => cursor > known)];
    const rows = all.slice(-this.#options.window);
    const dropped = all.length - rows.length;
    if (dropped > 0) this.#first = rows[0]?.cursor ?? this.#first;
    const hasOlder = this.#state.hasOlder || dropped > 0;
    const fresh = page.hasMore ? this.#state.fresh : 0;
    this.#set({ rows, hasOlder, hasNewer: page.hasMore, fresh, shifted: -dropped });
  }

  /** One thing after the other. */
  #next(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (this.#isClosed) return;
      try {
        await work();
      } catch (error) {
        this.#set({ state: "failed", problem: messageOf(error) });
      }
    });
    return this.#work;
  }

  #set(change: Partial<WindowState>): void {
    if (this.#isClosed) return;
    const { problem: _, ...before } = this.#state;
    this.#state = { ...before, state: "ready", ...change };
    for (const listener of this.#listeners) listener();
  }
}
