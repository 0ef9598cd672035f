import type { Item, Lane, LaneName } from "./lanes.ts";
import type { Row } from "./pack.ts";

/** Where a lane is drawn, in pixels from the top of the picture. */
export interface LaneBox {
  readonly name: LaneName | "cost";
  readonly top: number;
  readonly height: number;
  /** The rows of bars, each with its place. */
  readonly rows: readonly { readonly row: Row<Item>; readonly top: number; readonly height: number }[];
  /** Where the count of what has no row is drawn. */
  readonly more?: { readonly row: Row<Item>; readonly top: number };
  readonly lane?: Lane;
}

const ROW_PX = 27;
const MORE_PX = 16;

/** The height of a lane without its rows, where its bars begin, and how high they are. */
const shapes: Record<LaneName, { air: number; top: number; bar: number }> = {
  turns: { air: 11, top: 8, bar: 20 },
  model: { air: 13, top: 8, bar: 22 },
  tools: { air: 14, top: 8, bar: 22 },
  subagents: { air: 13, top: 8, bar: 22 },
  waiting: { air: 17, top: 10, bar: 24 },
};
const COST_PX = 96;

/** Stacks the lanes. A lane of subagents is there only if there are any. */
export function layoutOf(lanes: readonly Lane[]): { boxes: LaneBox[]; height: number } {
  const boxes: LaneBox[] = [];
  let top = 0;
  for (const lane of lanes) {
    if (lane.name === "subagents" && lane.items.length === 0) continue;
    const { air, top: first, bar } = shapes[lane.name];
    const start = top;
    const rows = lane.rows.map((row, index) => ({ row, top: start + first + index * ROW_PX, height: bar }));
    const rowsEnd = start + air + rows.length * ROW_PX;
    const hasMore = lane.more.items.length > 0;
    const height = rowsEnd - start + (hasMore ? MORE_PX : 0);
    const box: LaneBox = { name: lane.name, top, height, rows, lane };
    boxes.push(hasMore ? { ...box, more: { row: lane.more, top: rowsEnd - 6 } } : box);
    top += height;
  }
  boxes.push({ name: "cost", top, height: COST_PX, rows: [] });
  return { boxes, height: top + COST_PX };
}
