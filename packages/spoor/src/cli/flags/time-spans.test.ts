import { describe, expect, it } from "vitest";
import { duration, moment, timer } from "./time-spans.ts";

describe("time spans", () => {
  it.each([
    ["90s", 90_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["30d", 2_592_000_000],
    ["2w", 1_209_600_000],
    ["250ms", 250],
    ["1H30M", 5_400_000],
    ["0s", 0],
  ])("%s is %d ms", (text, span) => {
    expect(duration("--older-than")(text)).toBe(span);
  });

  it.each(["", "soon", "5", "5 m", "-5m", "5m5m", "1e3s", "m", "99999999999999999d", "5mm"])(
    "%j is refused with examples",
    (text) => {
      expect(() => duration("--older-than")(text)).toThrow(
        `--older-than takes a time span such as 90s, 5m, 1h30m or 30d, not "${text}".`,
      );
    },
  );

  it.each([
    ["90", 90_000],
    ["0.5", 500],
    ["1.005", 1_005],
    ["1001ms", 1_001],
    ["5m", 300_000],
    ["250ms", 250],
  ])("a timeout of %s is %d ms, because a plain number is seconds", (text, span) => {
    expect(timer("--timeout")(text)).toBe(span);
  });

  it.each([["0"], ["-1"], ["x"], ["0.0001"]])("%s is refused as a timeout", (text) => {
    expect(() => timer("--timeout")(text)).toThrow(/^--timeout takes seconds, or a time span/);
  });

  it("a timeout longer than Node's timers allow is refused", () => {
    expect(() => timer("--timeout")("30d")).toThrow('--timeout takes at most 24d, not "30d".');
  });
});

describe("points in time", () => {
  const since = moment("--since", () => Date.parse("2026-11-16T12:00:00Z"));
  it.each([
    ["10m", "2026-11-16T11:50:00.000Z"],
    ["1d", "2026-11-15T12:00:00.000Z"],
    ["2026-11-16T09:00:00Z", "2026-11-16T09:00:00.000Z"],
    ["2026-11-16T09:00:00.5+02:00", "2026-11-16T07:00:00.500Z"],
    ["2026-11-16", "2026-11-16T00:00:00.000Z"],
  ])("%s is %s", (text, time) => {
    expect(new Date(since(text)).toISOString()).toBe(time);
  });

  it.each(["yesterday", "2026-13-45", "1763280000000", "12:00"])("%s is refused as a point in time", (text) => {
    expect(() => since(text)).toThrow(/^--since takes how long ago/);
  });
});
