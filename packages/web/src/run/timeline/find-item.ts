import { barsOf } from "./bars.ts";
import type { Item, LaneName } from "./lanes.ts";
import type { LaneBox } from "./layout.ts";
import { firstIndex, visible } from "./pack.ts";
import type { Scale } from "./scale.ts";

/** The item at a place of the picture. `slack` pixels beside a narrow bar still hit it. */
export function itemAt(boxes: readonly LaneBox[], scale: Scale, x: number, y: number, slack = 4): Item | undefined {
  for (const { row, top, height } of boxes.flatMap(({ rows }) => rows)) {
    if (y < top - 2 || y > top + height + 2) continue;
    const bars = barsOf(visible(row, scale.range), scale.x).filter(
      ({ left, right }) => x >= left - slack && x <= right + slack,
    );
    const distance = ({ left, right }: { left: number; right: number }) => Math.max(left - x, x - right, 0);
    const nearest = bars.toSorted((one, other) => distance(one) - distance(other))[0];
    if (nearest) return nearest.item;
  }
  return undefined;
}

/** The place of an item in the picture. */
export function placeOf(boxes: readonly LaneBox[], scale: Scale, item: Item) {
  for (const { row, top, height } of boxes.flatMap(({ rows }) => rows)) {
    if (!row.items.some((other) => isSame(other, item))) continue;
    const left = scale.x(item.from);
    return { left, top, width: Math.max(scale.x(item.to) - left, 2), height };
  }
  return undefined;
}

/** Whether two items show the same thing. An open one grows, and is made anew each time. */
export const isSame = (one: Item, other: Item): boolean =>
  one.kind === other.kind && one.span.sequence === other.span.sequence && one.from === other.from;

type Direction = "left" | "right" | "up" | "down";

/** The item that an arrow key leads to: the neighbour in the lane, or the nearest item of the next lane. */
export function neighbour(
  boxes: readonly LaneBox[],
  from: Item | undefined,
  direction: Direction,
  at: number,
): Item | undefined {
  const lanes = boxes.flatMap(({ lane }) => (lane && lane.items.length > 0 ? [lane] : []));
  const here = from && lanes.findIndex(({ items }) => items.some((item) => isSame(item, from)));
  if (from === undefined || here === undefined || here === -1) return nearest(lanes[0]?.items ?? [], at);
  if (direction === "up" || direction === "down") {
    const next = lanes[here + (direction === "up" ? -1 : 1)];
    return next ? nearest(next.items, (from.from + from.to) / 2) : from;
  }
  const items = lanes[here]?.items ?? [];
  const index = items.findIndex((item) => isSame(item, from));
  return items[index + (direction === "left" ? -1 : 1)] ?? from;
}

/** The item that holds a moment, else the one that begins next to it. */
export function nearest(items: readonly Item[], time: number): Item | undefined {
  const next = firstIndex(items, ({ from }) => from > time);
  const [before, after] = [items[next - 1], items[next]];
  if (!before || !after) return before ?? after;
  return time <= before.to || time - before.to < after.from - time ? before : after;
}

/** The lane and the number of an item among all items, for the table. */
export function positionOf(boxes: readonly LaneBox[], item: Item): { lane: LaneName; index: number } | undefined {
  for (const { lane } of boxes) {
    const index = lane?.items.findIndex((other) => isSame(other, item)) ?? -1;
    if (lane && index !== -1) return { lane: lane.name, index };
  }
  return undefined;
}
