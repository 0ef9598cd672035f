/** A bar on the screen: one item, or many that are too narrow to be drawn one by one. */
export interface Bar<T> {
  readonly left: number;
  readonly right: number;
  /** The item, or the first of many. */
  readonly item: T;
  readonly count: number;
  /** The share of the bar that is covered, from 0 to 1. */
  readonly density: number;
}

/** The narrowest bar that is drawn, so that a short call can still be seen. */
const NARROWEST_PX = 2;

/** Turns the items of one row into bars. Neighbours narrower than a pixel become one bar of their density. */
export function barsOf<T extends { readonly from: number; readonly to: number }>(
  items: readonly T[],
  x: (time: number) => number,
): Bar<T>[] {
  const bars: Bar<T>[] = [];
  let merged: { left: number; right: number; item: T; count: number; covered: number } | undefined;
  const flush = () => {
    if (!merged) return;
    const { left, right, item, count, covered } = merged;
    const width = Math.max(right - left, NARROWEST_PX);
    const density = count === 1 ? 1 : Math.min(1, Math.max(covered / width, 0.25));
    bars.push({ left, right: left + width, item, count, density });
    merged = undefined;
  };
  for (const item of items) {
    const [left, right] = [x(item.from), x(item.to)];
    if (right - left >= 1) {
      flush();
      bars.push({ left, right: Math.max(right, left + NARROWEST_PX), item, count: 1, density: 1 });
    } else if (merged && left - merged.right < 1) {
      merged = {
        ...merged,
        right: Math.max(right, merged.right),
        count: merged.count + 1,
        covered: merged.covered + right - left,
      };
    } else {
      flush();
      merged = { left, right, item, count: 1, covered: right - left };
    }
  }
  flush();
  return bars;
}
