/** After this many milliseconds of work, the event loop runs other work. */
const SLICE_MS = 3;

const waiting: (() => Promise<void>)[] = [];
let isWorking = false;
/** When the current slice began. */
let start = Number.NEGATIVE_INFINITY;

/**
 * Runs one step of a long job, such as reading one page of many. Steps run one after the other, and between them the event
 * loop continues every few milliseconds, so that a long read does not delay other requests. SQLite answers without leaving
 * the current turn of the event loop, so awaiting a read alone would not let other work run.
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
