/** Integers in rising order, as ranges of consecutive ones. */
export type Ranges = readonly Range[];
/** Consecutive numbers. */
export type Range = readonly [first: number, count: number];

export const countOf = (ranges: Ranges): number => ranges.reduce((sum, [, count]) => sum + count, 0);

export function firstOf(ranges: Ranges): number {
  return ranges[0]?.[0] ?? -1;
}

export function lastOf(ranges: Ranges): number {
  const last = ranges.at(-1);
  return last ? last[0] + last[1] - 1 : -1;
}

/** The number at an index. */
export function at(ranges: Ranges, index: number): number {
  for (const [first, count] of ranges) {
    if (index < count) return first + index;
    index -= count;
  }
  return -1;
}

/** The numbers at the indexes from `start` to before `end`. */
export function slice(ranges: Ranges, start: number, end = Number.POSITIVE_INFINITY): Ranges {
  const kept: Range[] = [];
  let index = 0;
  for (const [first, count] of ranges) {
    const from = Math.max(start - index, 0);
    const to = Math.min(end - index, count);
    if (to > from) kept.push([first + from, to - from]);
    index += count;
  }
  return kept;
}

/** Joins lists one after the other. Ranges that touch become one. */
export function join(...lists: Ranges[]): Ranges {
  const joined: [number, number][] = [];
  for (const [first, count] of lists.flat()) {
    const last = joined.at(-1);
    if (last && last[0] + last[1] === first) last[1] += count;
    else joined.push([first, count]);
  }
  return joined;
}

export const fromNumbers = (numbers: readonly number[]): Ranges => join(numbers.map((number) => [number, 1] as const));

/** All the numbers. */
export const numbersOf = (ranges: Ranges): number[] =>
  ranges.flatMap(([first, count]) => Array.from({ length: count }, (_, index) => first + index));

/** How many of the numbers are not greater than `limit`. */
export function countUpTo(ranges: Ranges, limit: number): number {
  let total = 0;
  for (const [first, count] of ranges) {
    if (first > limit) break;
    total += Math.min(count, limit - first + 1);
  }
  return total;
}
