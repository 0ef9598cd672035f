/**
 * Calls `work` for each item, up to 16 at a time, and yields the results in the order of the items. Reading many files is
 * mostly waiting, so several reads at once save time.
 */
export async function* mapConcurrent<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const rest = items[Symbol.iterator]();
  const started: Promise<Result>[] = [];
  const startNext = (): void => {
    const next = rest.next();
    if (next.done) return;
    const result = work(next.value);
    // A failure is thrown when this item's turn comes. Until then it must not count as an unhandled rejection.
    result.catch(() => {});
    started.push(result);
  };
  for (let count = 0; count < MAX_CONCURRENT; count += 1) startNext();
  for (let result = started.shift(); result; result = started.shift()) {
    yield await result;
    startNext();
  }
}

const MAX_CONCURRENT = 16;
