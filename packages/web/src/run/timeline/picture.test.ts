import { type RunSpan, timeSegments } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { momentLabel } from "../replay/moment-label.ts";
import { barsOf } from "./bars.ts";
import { costLines, isKnownAtEnd } from "./cost-steps.ts";
import { itemAt, nearest, neighbour } from "./find-item.ts";
import { lanesOf } from "./lanes.ts";
import { layoutOf } from "./layout.ts";
import { pack, visible } from "./pack.ts";
import { BREAK_PX, breaksOf, createScale, pan, within, zoom } from "./scale.ts";
import { ticksOf } from "./ticks.ts";

const MINUTE = 60_000;

const stretches = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 200 })), { maxLength: 80 })
  .map((list) =>
    list.map(([from, length]) => ({ from, to: from + length })).sort((one, other) => one.from - other.from),
  );

describe("packing", () => {
  it("never puts two overlapping items into one row, uses no row too many, and loses nothing", () => {
    fc.assert(
      fc.property(stretches, fc.integer({ min: 1, max: 6 }), (items, most) => {
        const { rows, more } = pack(items, most);
        for (const { items: row } of rows) {
          for (const [index, item] of row.entries()) expect(item.from).toBeGreaterThanOrEqual(row[index - 1]?.to ?? 0);
        }
        expect(rows.flatMap(({ items: row }) => row).length + more.items.length).toBe(items.length);
        const deepest = Math.max(
          1,
          ...items.map(({ from }) => items.filter((other) => other.from <= from && from < other.to).length),
        );
        expect(rows.length).toBeLessThanOrEqual(Math.min(most, deepest + 1));
        if (more.items.length > 0) expect(rows.length).toBe(most);
      }),
    );
  });

  it("finds the items in view by halving", () => {
    fc.assert(
      fc.property(stretches, fc.nat(1_200), fc.nat(300), (items, from, length) => {
        const [row] = pack(items, 6).rows;
        const range = { from, to: from + length };
        expect(visible({ items: row?.items ?? [] }, range)).toEqual(
          row?.items.filter((item) => item.to >= range.from && item.from <= range.to),
        );
      }),
    );
  });
});

describe("bars", () => {
  it("keep all that is wide, merge what is narrower than a pixel, and count everything once", () => {
    fc.assert(
      fc.property(stretches, fc.double({ min: 0.001, max: 2, noNaN: true }), (items, perMs) => {
        const [row] = pack(items, 1).rows;
        const bars = barsOf(row?.items ?? [], (time) => time * perMs);
        expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(row?.items.length);
        for (const { left, right, count, density } of bars) {
          expect(right - left).toBeGreaterThanOrEqual(1);
          expect(density).toBeGreaterThan(0);
          expect(density).toBeLessThanOrEqual(1);
          if (count > 1) expect(right - left).toBeLessThan(1_201 * perMs + 3);
        }
      }),
    );
  });

  it("of 20,000 calls in 1,000 pixels are at most as many as there are pixels", () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ from: index * 10, to: index * 10 + 6 }));
    expect(barsOf(items, (time) => time / 200).length).toBeLessThanOrEqual(1_000);
  });
});

describe("the scale", () => {
  const breaks = [
    { from: 20 * MINUTE, to: 80 * MINUTE },
    { from: 90 * MINUTE, to: 300 * MINUTE },
  ];
  const whole = 320 * MINUTE;

  it("turns times into places and back, with and without breaks", () => {
    fc.assert(
      fc.property(fc.nat(whole), fc.nat(whole), fc.nat(whole), fc.boolean(), (one, other, time, hasBreaks) => {
        const range = within({ from: Math.min(one, other), to: Math.max(one, other) }, whole);
        const scale = createScale(range, 1_000, hasBreaks ? breaks : []);
        expect(scale.x(range.from)).toBeCloseTo(0, 6);
        expect(scale.x(range.to)).toBeCloseTo(1_000, 4);
        const inside = range.from + (time % (range.to - range.from + 1));
        expect(scale.time(scale.x(inside))).toBeCloseTo(inside, 2);
      }),
    );
  });

  it("folds idle times over ten minutes into breaks of 24 pixels", () => {
    const spans: RunSpan[] = [
      { kind: "turn", from: 0, to: MINUTE, sequence: 0 },
      { kind: "turn", from: 12 * MINUTE, to: 13 * MINUTE, sequence: 1 },
      { kind: "turn", from: 22 * MINUTE, to: 23 * MINUTE, sequence: 2 },
    ];
    const folded = breaksOf(timeSegments(spans, 23 * MINUTE));
    expect(folded).toEqual([{ from: MINUTE, to: 12 * MINUTE }]);
    const scale = createScale({ from: 0, to: 23 * MINUTE }, 1_000, folded);
    expect(scale.x(12 * MINUTE) - scale.x(MINUTE)).toBeCloseTo(BREAK_PX, 6);
  });

  it("zooms around the pointer and stays inside the run", () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.double({ min: 0.2, max: 0.99, noNaN: true }), (place, factor) => {
        const scale = createScale({ from: 10_000, to: 60_000 }, 1_000);
        const next = zoom(scale, place, factor, 100_000);
        expect(createScale(next, 1_000).x(scale.time(place))).toBeCloseTo(place, 4);
        const out = zoom(scale, place, 1 / factor, 100_000);
        expect(out.from).toBeGreaterThanOrEqual(0);
        expect(out.to).toBeLessThanOrEqual(100_000);
        expect(out.to - out.from).toBeGreaterThanOrEqual(49_999);
      }),
    );
  });

  it("pans by what was dragged, and not beyond the ends", () => {
    const scale = createScale({ from: 10_000, to: 20_000 }, 1_000);
    expect(pan(scale, 100, 50_000)).toEqual({ from: 9_000, to: 19_000 });
    expect(pan(scale, 5_000, 50_000)).toEqual({ from: 0, to: 10_000 });
    expect(pan(scale, -9_000, 50_000)).toEqual({ from: 40_000, to: 50_000 });
  });

  it("names round times, far enough from each other", () => {
    expect(ticksOf(createScale({ from: 0, to: 400_000 }, 1_192)).map(({ label }) => label)).toEqual([
      "0:00",
      "1:00",
      "2:00",
      "3:00",
      "4:00",
      "5:00",
      "6:00",
    ]);
    expect(momentLabel(3_723_456, 10)).toBe("1:02:03.45");
    fc.assert(
      fc.property(fc.integer({ min: 6, max: whole }), fc.integer({ min: 200, max: 2_000 }), (to, width) => {
        const ticks = ticksOf(
          createScale(
            { from: 0, to },
            width,
            breaks.filter((fold) => fold.to < to),
          ),
        );
        expect(ticks.length).toBeLessThanOrEqual(width / 60 + 2);
        for (const [index, tick] of ticks.entries()) expect(tick.x).toBeGreaterThan((ticks[index - 1]?.x ?? -99) + 60);
      }),
    );
  });
});

describe("the lanes", () => {
  const spans: RunSpan[] = [
    { kind: "turn", from: 0, to: 100, sequence: 1, turn: 1 },
    { kind: "thinking", from: 0, to: 20, sequence: 2, turn: 1 },
    { kind: "tool", from: 50, to: 90, sequence: 3, tool: "a" },
    { kind: "wait", from: 50, to: 80, sequence: 4, tool: "a", of: "approval" },
    { kind: "turn", from: 100, sequence: 5, turn: 2 },
    { kind: "retry", from: 120, to: 140, sequence: 6 },
    ...Array.from({ length: 9 }, (_, index): RunSpan => ({ kind: "tool", from: 150, to: 190, sequence: 7 + index })),
  ];
  const lanes = lanesOf(spans, timeSegments(spans, 200), 200);
  const lane = (name: string) => lanes.find((one) => one.name === name);

  it("show the model where nothing else of its turn goes on, and thoughts apart", () => {
    expect(lane("model")?.items.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["thinking", 0, 20],
      ["model", 20, 50],
      ["model", 90, 100],
      ["model", 100, 120],
      ["retry", 120, 140],
      ["model", 140, 150],
      ["model", 190, 200],
    ]);
  });

  it("draw a call that asks at once from its answer on", () => {
    expect(lane("tools")?.items[0]).toMatchObject({ from: 80, to: 90 });
  });

  it("have at most six rows, and count the rest", () => {
    expect(lane("tools")?.rows).toHaveLength(6);
    expect(lane("tools")?.more.items).toHaveLength(3);
    expect(layoutOf(lanes).boxes.find(({ name }) => name === "tools")?.more).toBeDefined();
  });

  it("are walked with arrows: along a lane, and to the nearest item of the next lane", () => {
    const { boxes } = layoutOf(lanes);
    const first = neighbour(boxes, undefined, "right", 10);
    expect(first).toMatchObject({ kind: "turn", from: 0 });
    const model = neighbour(boxes, first, "down", 0);
    expect(model?.kind).toBe("model");
    expect(neighbour(boxes, neighbour(boxes, first, "right", 0), "left", 0)).toEqual(first);
    expect(neighbour(boxes, first, "left", 0)).toEqual(first);
    expect(nearest([], 5)).toBeUndefined();
  });

  it("are hit where they are drawn, with a little slack", () => {
    const { boxes } = layoutOf(lanes);
    const scale = createScale({ from: 0, to: 200 }, 1_000);
    expect(itemAt(boxes, scale, scale.x(60), (boxes[3]?.rows[0]?.top ?? 0) + 5)?.kind).toBe("wait");
    expect(itemAt(boxes, scale, scale.x(80) - 3, (boxes[2]?.rows[0]?.top ?? 0) + 5)?.span.tool).toBe("a");
    expect(itemAt(boxes, scale, scale.x(30), (boxes[2]?.rows[0]?.top ?? 0) + 5)).toBeUndefined();
  });
});

describe("the cost lane", () => {
  const turn = (from: number, to: number): RunSpan => ({ kind: "turn", from, to, sequence: from });

  it("is a dashed rise only if the agent told its cost at the end", () => {
    const late = [{ at: 95, micros: 5, sequence: 9 }];
    expect(isKnownAtEnd(late, [turn(0, 40), turn(40, 90)], 100)).toBe(true);
    expect(isKnownAtEnd([{ at: 40, micros: 2, sequence: 4 }, ...late], [turn(0, 40), turn(40, 90)], 100)).toBe(false);
    expect(isKnownAtEnd(late, [turn(0, 40), turn(40, 90)], undefined)).toBe(false);
  });

  it("has lines at round amounts", () => {
    expect(costLines(418_000)).toEqual([200_000, 400_000]);
    expect(costLines(9_800)).toEqual([5_000, 10_000]);
    expect(costLines(0)).toEqual([]);
  });
});
