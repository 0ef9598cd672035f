import type { UsageRow } from "@spoor/protocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { axisLabels, beginOf, lastDays, rangeOf } from "./days.ts";
import { share } from "./figures.tsx";
import { csvOf, modelsOf, scaleOf, seriesOf, splits, stacksOf } from "./summary.ts";

const none = {
  ...{ runs: 1, runs_without_cost: 0, runs_without_tokens: 0, runs_failed: 0, runs_cancelled: 0, turns: 1 },
  ...{ input_tokens: 100, cached_input_tokens: 40, output_tokens: 10, thinking_tokens: 0 },
  ...{ cost_micros_usd: 0, cost_by_source: {} },
};

const arbitraryRow = (days: readonly string[]): fc.Arbitrary<UsageRow> =>
  fc
    .record({
      day: fc.constantFrom(...days),
      agent: fc.constantFrom("claude", "codex", "loop", "x1", "x2", "x3", "x4"),
      model: fc.constantFrom("", "large", "small"),
      source: fc.constantFrom("agent_reported", "estimated", "billed"),
      cost_micros_usd: fc.nat(5_000_000),
    })
    .map((fields) => ({ ...none, ...fields }));

test("every cost is in exactly one bar of its day, however the bars are divided", () => {
  const days = lastDays(7, Date.UTC(2026, 10, 16, 12));
  fc.assert(
    fc.property(fc.array(arbitraryRow(days), { maxLength: 60 }), fc.constantFrom(...splits), (rows, split) => {
      const series = seriesOf(rows, split);
      const stacks = stacksOf(days, rows, series, split);
      expect(stacks.map(({ day }) => day)).toEqual(days);
      for (const { day, parts, micros } of stacks) {
        const wanted = rows.filter((row) => row.day === day).reduce((sum, row) => sum + row.cost_micros_usd, 0);
        expect([micros, parts.reduce((sum, part) => sum + part, 0)]).toEqual([wanted, wanted]);
      }
      expect(modelsOf(rows).reduce((sum, { micros }) => sum + micros, 0)).toBe(
        stacks.reduce((sum, { micros }) => sum + micros, 0),
      );
      // Two colours that mean different things never look the same, except that sources differ by their hatching.
      if (split !== "source") expect(new Set(series.map(({ colour }) => colour)).size).toBe(series.length);
      expect(series.length).toBeLessThanOrEqual(6);
    }),
  );
});

test("the scale ends at or above the greatest bar, in at most five round steps", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (most) => {
      const { top, lines } = scaleOf(most);
      expect(top).toBeGreaterThanOrEqual(most);
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(lines.at(-1)).toBe(top);
    }),
  );
});

test("the last days are consecutive days of the calendar, also where a clock changes, and today is the last", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(2015, 0), max: new Date(2035, 0), noInvalidDate: true }), (now) => {
      const days = lastDays(90, now.getTime());
      expect(new Set(days).size).toBe(90);
      const first = beginOf(days[0] ?? "");
      expect([first.getHours(), first.getMinutes()]).toEqual([0, 0]);
      const gaps = days.slice(1).map((day, index) => Date.parse(day) - Date.parse(days[index] ?? ""));
      expect(new Set(gaps)).toEqual(new Set([86_400_000]));
      expect(beginOf(days.at(-1) ?? "").toDateString()).toBe(now.toDateString());
    }),
  );
});

test("a new month is named on the axis, and an odd range is 30 days", () => {
  expect(axisLabels(["2026-10-31", "2026-11-01", "2026-11-02"]).map(({ text }) => text)).toEqual([
    "31 Oct",
    "1 Nov",
    "2",
  ]);
  expect([rangeOf("7"), rangeOf("8"), rangeOf(null)]).toEqual([7, 30, 30]);
});

test("runs of unknown cost do not make the source of a model mixed, and a share is never rounded to nothing or all", () => {
  const rows: UsageRow[] = [
    { ...none, agent: "codex", model: "m", source: "estimated", cost_micros_usd: 5 },
    { ...none, agent: "codex", model: "m", source: "unknown", runs_without_cost: 1 },
    { ...none, agent: "kimi", model: "", source: "unknown", runs_without_cost: 1 },
  ];
  expect(modelsOf(rows).map(({ agent, runs, source }) => [agent, runs, source])).toEqual([
    ["codex", 2, "estimated"],
    ["kimi", 1, "unknown"],
  ]);
  expect([share(1, 1000), share(999, 1000), share(1, 1), share(0, 0)]).toEqual(["<1 %", ">99 %", "100 %", "0 %"]);
});

test("copied rows are plain CSV that a spreadsheet does not calculate", () => {
  const text = csvOf([{ ...none, day: "2026-11-16", agent: "a,b", model: '=cmd|"x"', source: "estimated" }]);
  expect(text.split("\n")[1]).toBe(`2026-11-16,"a,b","'=cmd|""x""",estimated,1,0,1,100,40,10,0,0`);
});
