/** Items of one row, by their start. */
export interface Row<T> {
  readonly items: readonly T[];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

export const packed = <T>(items: readonly T[]): Row<T> => ({ items });

/** Puts items, in the order of their start, into as few rows as their overlap needs. What does not fit is in `more`. */
export function pack<T extends Stretch>(items: readonly T[], most: number): { rows: Row<T>[]; more: Row<T> } {
  const rows: T[][] = [];
  const ends: number[] = [];
  const more: T[] = [];
  for (const item of items) {
    const free = ends.findIndex((end) => end <= item.from);
    if (free === -1 && rows.length >= most) more.push(item);
    else {
      const row = free === -1 ? rows.push([]) - 1 : free;
      rows[row]?.push(item);
      ends[row] = Math.max(item.to, item.from);
    }
  }
  return { rows: rows.length > 0 ? rows.map(packed) : [packed<T>([])], more: packed(more) };
}

/** The items of a row that touch a stretch of time. The items of a row do not overlap. */
export function visible<T extends Stretch>({ items }: Row<T>, { from, to }: Stretch): readonly T[] {
  return items.slice(
    firstIndex(items, (item) => item.to >= from),
    firstIndex(items, (item) => item.from > to),
  );
}

/** The index of the first item for which the test holds, when it holds for all after it. */
export function firstIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
