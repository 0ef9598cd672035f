/**
 * A queue between one writer that must not wait and one slow reader. It is `full` when the weight of its values exceeds the
 * capacity. It still accepts values then, and calls `onRoom` when half of the capacity is free: a writer that pauses while
 * the queue is `full` loses nothing and uses little memory (backpressure).
 */
export interface Channel<T> extends AsyncIterableIterator<T, undefined> {
  readonly full: boolean;
  push(value: T, weight: number): void;
  /** The reader receives the queued values, then the end or this error. */
  end(error?: Error): void;
  /** The reader stops: queued and later values are dropped. */
  return(): Promise<IteratorResult<T, undefined>>;
}

export function createChannel<T>({ capacity, onRoom }: { capacity: number; onRoom: () => void }): Channel<T> {
  let queue: ({ value: T; weight: number } | undefined)[] = [];
  let head = 0;
  let weight = 0;
  let readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  let ended = false;
  let failure: Error | undefined;

  const take = (): { value: T } | undefined => {
    const item = queue[head];
    if (item === undefined) return undefined;
    queue[head] = undefined;
    head += 1;
    if (head * 2 > queue.length) {
      queue = queue.slice(head);
      head = 0;
    }
    const wasCrowded = weight > capacity / 2;
    weight -= item.weight;
    if (wasCrowded && weight <= capacity / 2) onRoom();
    return item;
  };

  const end = (error?: Error): void => {
    if (ended) return;
    ended = true;
    const [first, ...others] = readers;
    readers = [];
    if (error === undefined) first?.resolve(DONE);
    else if (first === undefined) failure = error;
    else first.reject(error);
    for (const reader of others) reader.resolve(DONE);
  };

  return {
    get full() {
      return !ended && weight > capacity;
    },
    push(value, valueWeight) {
      if (ended) return;
      const reader = readers.shift();
      if (reader !== undefined) return reader.resolve({ value, done: false });
      queue.push({ value, weight: valueWeight });
      weight += valueWeight;
    },
    end,
    next() {
      const item = take();
      if (item !== undefined) return Promise.resolve({ value: item.value, done: false });
      const error = failure;
      failure = undefined;
      if (error !== undefined) return Promise.reject(error);
      if (ended) return Promise.resolve(DONE);
      const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
      readers.push(reader);
      return reader.promise;
    },
    return() {
      end();
      failure = undefined;
      queue = [];
      head = 0;
      weight = 0;
      onRoom();
      return Promise.resolve(DONE);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const DONE = { value: undefined, done: true } as const;
