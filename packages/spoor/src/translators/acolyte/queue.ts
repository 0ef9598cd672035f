/** One thing at a time, the others in the order in which they came. */
export interface Queue<T> {
  /** Performs it at once, or puts it into the queue. Returns its position: 0 if it does not wait. */
  add(item: T): number;
  isFull(): boolean;
  /** Removes something that waits. Returns false if it does not wait. */
  remove(item: T): boolean;
  /** Tells everything that waits its position. */
  announce(): void;
  find(matches: (item: T) => boolean): T | undefined;
  /** What is performed, and what waits. */
  all(): T[];
}

export interface QueueOptions<T> {
  max: number;
  /** Never throws. */
  perform(item: T): Promise<void>;
  /** Called with each position, from 1, when something begins to wait and when positions change. */
  moved(item: T, position: number): void;
  /** Called with by how many the number of waiting things has changed. */
  counted(change: number): void;
}

export function createQueue<T>({ max, perform, moved, counted }: QueueOptions<T>): Queue<T> {
  const waiting: T[] = [];
  let current: T | undefined;

  const announce = () => {
    for (const [index, item] of waiting.entries()) moved(item, index + 1);
  };

  async function next(item: T): Promise<void> {
    current = item;
    await perform(item);
    current = undefined;
    const following = waiting.shift();
    if (following === undefined) return;
    counted(-1);
    void next(following);
    announce();
  }

  return {
    add(item) {
      if (current === undefined) {
        void next(item);
        return 0;
      }
      waiting.push(item);
      counted(1);
      moved(item, waiting.length);
      return waiting.length;
    },
    isFull: () => current !== undefined && waiting.length >= max,
    remove(item) {
      const index = waiting.indexOf(item);
      if (index === -1) return false;
      waiting.splice(index, 1);
      counted(-1);
      return true;
    },
    announce,
    find: (matches) => [...(current === undefined ? [] : [current]), ...waiting].find(matches),
    all: () => [...(current === undefined ? [] : [current]), ...waiting],
  };
}
