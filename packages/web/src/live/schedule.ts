/** When stores do their work. Tests replace it. */
export interface Schedule {
  /** Calls back before the next frame is drawn. A hidden page draws none, so it waits until the page is shown. */
  frame(callback: () => void): void;
  /** Calls back soon, after input and drawing had their turn. */
  soon(callback: () => void): void;
  /** Calls back after a time. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}

/** The schedule of a page. */
export function pageSchedule(): Schedule {
  // A message to oneself is a task like any other. Timers would wait 4 ms each, and a second each in a hidden page.
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return {
    frame: (callback) => requestAnimationFrame(callback),
    soon(callback) {
      waiting.push(callback);
      port2.postMessage(undefined);
    },
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    now: () => performance.now(),
  };
}

/** A longer slice would delay a frame or a key. */
export const SLICE_MS = 8;

/**
 * Works through batches of items, for at most 8 ms at a time. `idle` is called whenever nothing is left.
 */
export function createSlices<Item>(
  { soon, now }: Pick<Schedule, "soon" | "now">,
  work: (item: Item) => void,
  idle: () => void,
): { push(items: readonly Item[]): void; readonly isEmpty: boolean; clear(): void } {
  let batches: (readonly Item[])[] = [];
  let at = 0;
  let isScheduled = false;

  function slice(): void {
    isScheduled = false;
    const end = now() + SLICE_MS;
    for (let count = 1; batches.length > 0; count += 1) {
      const batch = batches[0] as readonly Item[];
      const item = batch[at];
      at += 1;
      if (at >= batch.length) {
        batches.shift();
        at = 0;
      }
      if (item !== undefined) work(item);
      // Reading the clock takes longer than folding an event.
      if (count % 32 === 0 && now() >= end) break;
    }
    if (batches.length > 0) schedule();
    else idle();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    soon(slice);
  }

  return {
    push(items) {
      if (items.length === 0) return;
      batches.push(items);
      schedule();
    },
    get isEmpty() {
      return batches.length === 0;
    },
    clear() {
      batches = [];
      at = 0;
    },
  };
}
