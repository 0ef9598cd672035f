/** What `work` makes of each item, in order, a few of them at once: most of reading many files is waiting. */
export async function* ahead<Item, Made>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Made>,
): AsyncGenerator<Made> {
  const rest = items[Symbol.iterator]();
  const begun: Promise<Made>[] = [];
  const begin = (): void => {
    const next = rest.next();
    if (next.done) return;
    const made = work(next.value);
    // Told when it is its turn, if ever.
    made.catch(() => {});
    begun.push(made);
  };
  for (let count = 0; count < AT_ONCE; count += 1) begin();
  for (let made = begun.shift(); made; made = begun.shift()) {
    yield await made;
    begin();
  }
}

const AT_ONCE = 16;
