import { createRunFold, type Envelope, initialRunView, type RunFold, type RunView } from "@spoor/protocol";
import type { ReadLines } from "../../events/read-lines.ts";

/** The run as it was at any moment of it. */
export interface ReplayIndex {
  /** Folds the events up to a moment, in milliseconds since the run's beginning. */
  viewAt(time: number): Promise<RunView>;
  /** Stops reading. The next view reads on. */
  close(): void;
}

/** A view that is kept, so that a jump folds at most the events that follow it up to the next kept one. */
interface Kept {
  readonly view: RunView;
  readonly clock: Clock;
}

/** The time of the last event. As in the spans, it never goes backwards. */
interface Clock {
  readonly origin: number | undefined;
  readonly last: number;
}

const noTime: Clock = { origin: undefined, last: 0 };

interface Options {
  /** A view is kept after this many events. */
  keepEvery?: number;
}

const KEEP_EVERY = 2_000;
const CACHED_PAGES = 3;

/**
 * Reads the run once and keeps a view every 2,000 events; the events themselves are dropped, and read again around the
 * moment that is looked at.
 */
export function createReplayIndex(read: ReadLines, { keepEvery = KEEP_EVERY }: Options = {}): ReplayIndex {
  let end = new AbortController();
  const kept: Kept[] = [{ view: initialRunView(), clock: noTime }];
  const pages = new Map<Kept, Promise<Envelope[]>>();
  const front = { fold: createRunFold(), clock: noTime, count: 0 };
  let reading: Promise<void> | undefined;
  const waiting = new Set<{ time: number; done: () => void }>();
  let current: { from: Kept; fold: RunFold; clock: Clock; next: number } | undefined;

  /** Reads on after the last event that was seen, and keeps views. */
  const readOn = (): Promise<void> =>
    read({ after: front.fold.snapshot().lastSequence, signal: end.signal }, (line) => {
      const envelope: Envelope = JSON.parse(line);
      if (!front.fold.fold(envelope)) return;
      front.clock = tick(front.clock, envelope);
      front.count += 1;
      if (front.count % keepEvery === 0) kept.push({ view: front.fold.snapshot(), clock: front.clock });
      for (const { time, done } of waiting) if (front.clock.last > time) done();
    });

  /** Waits until all events up to a moment were seen. */
  const reach = async (time: number): Promise<void> => {
    if (front.clock.last > time) return;
    reading ??= readOn().finally(() => {
      reading = undefined;
    });
    const all = reading;
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        time,
        done() {
          waiting.delete(waiter);
          resolve();
        },
      };
      waiting.add(waiter);
      all.then(waiter.done, (error) => {
        waiting.delete(waiter);
        reject(error);
      });
    });
  };

  const pageAfter = (from: Kept): Promise<Envelope[]> => {
    const known = pages.get(from);
    // A page that is not full yet grows while the run goes on.
    if (known && from !== kept.at(-1)) return known;
    const page = readPage(read, from.view.lastSequence, keepEvery, end.signal);
    page.catch(() => pages.delete(from));
    pages.delete(from);
    pages.set(from, page);
    const [oldest] = pages.size > CACHED_PAGES ? pages.keys() : [];
    if (oldest) pages.delete(oldest);
    return page;
  };

  return {
    async viewAt(time) {
      await reach(time);
      const from = kept.findLast(({ clock }) => clock.last <= time) ?? (kept[0] as Kept);
      const page = await pageAfter(from);
      if (!current || current.from !== from || current.clock.last > time) {
        current = { from, fold: createRunFold({ from: from.view }), clock: from.clock, next: 0 };
      }
      for (; current.next < page.length; current.next += 1) {
        const envelope = page[current.next] as Envelope;
        const clock = tick(current.clock, envelope);
        if (clock.last > time) break;
        current.clock = clock;
        current.fold.fold(envelope);
      }
      return current.fold.snapshot();
    },
    close() {
      end.abort();
      end = new AbortController();
    },
  };
}

async function readPage(read: ReadLines, after: number, limit: number, signal: AbortSignal): Promise<Envelope[]> {
  const page: Envelope[] = [];
  await read({ after, signal }, (line) => page.push(JSON.parse(line)) < limit);
  return page;
}

function tick({ origin, last }: Clock, { occurred_at }: Envelope): Clock {
  const time = Date.parse(occurred_at);
  if (!Number.isFinite(time)) return { origin, last };
  return { origin: origin ?? time, last: Math.max(last, time - (origin ?? time)) };
}
