/** Milliseconds of work after which others get their turn. */
const SLICE_MS = 3;

const waiting: (() => Promise<void>)[] = [];
let isWorking = false;
/** When the work of this turn of the event loop began. */
let start = Number.NEGATIVE_INFINITY;

/**
 * Does one step of something long, such as reading one page of many. Steps are done one after the other, and the event loop
 * goes round between them every few milliseconds, so that a long read holds up nobody else's request. A log answers
 * without leaving the current turn of the event loop, so that awaiting it alone would let nobody in.
 */
export function inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    waiting.push(() => step().then(resolve, reject));
    if (!isWorking) void work();
  });
}

async function work(): Promise<void> {
  isWorking = true;
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    if (performance.now() - start > SLICE_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      start = performance.now();
    }
    await step();
  }
  isWorking = false;
}
