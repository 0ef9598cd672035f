import { describe, expect, test } from "vitest";
import * as format from "./format.ts";

describe("format", () => {
  test.each([
    [undefined, "—"],
    [Number.NaN, "—"],
    [0, "$0.00"],
    [30, "<$0.0001"],
    [9_800, "$0.0098"],
    [99_940, "$0.0999"],
    [610_000, "$0.61"],
    [1_204_500_000, "$1,204.50"],
  ])("writes %s millionths of a dollar as %s", (micros, text) => {
    expect(format.money(micros)).toBe(text);
  });

  test("shows a cost that nobody told as unknown, and never as nothing", () => {
    expect(format.cost(undefined, undefined)).toEqual({ amount: "—", source: "unknown" });
    expect(format.cost(0, undefined)).toEqual({ amount: "—", source: "unknown" });
    expect(format.cost(0, "reported")).toEqual({ amount: "$0.00", source: "reported" });
    expect(format.cost(6_600, "estimated")).toEqual({ amount: "$0.0066", source: "estimated" });
    expect(format.cost(6_600, undefined)).toEqual({ amount: "$0.0066", source: "unknown" });
  });

  test.each([
    [undefined, "—"],
    [0, "0:00"],
    [52_999, "0:52"],
    [687_000, "11:27"],
    [17_460_000, "4 h 51 min"],
    [3_600_000, "1 h"],
    [183_600_000, "2 d 3 h"],
    [-5, "0:00"],
  ])("writes a duration of %s ms as %s", (ms, text) => {
    expect(format.duration(ms)).toBe(text);
  });

  test.each([
    [41, "41 ms"],
    [999.7, "1.0 s"],
    [1_840, "1.8 s"],
    [12_300, "12 s"],
    [59_800, "0:59"],
    [72_000, "1:12"],
  ])("writes a step of %s ms as %s", (ms, text) => {
    expect(format.stepTime(ms)).toBe(text);
  });

  test("says how long ago something was, and never speaks of the future", () => {
    const now = Date.parse("2026-11-16T12:00:00Z");
    expect(format.ago("2026-11-16T11:59:30Z", now)).toBe("just now");
    expect(format.ago("2026-11-16T12:03:00Z", now)).toBe("just now");
    expect(format.ago("2026-11-16T11:48:00Z", now)).toBe("12 min ago");
    expect(format.ago("2026-11-16T07:00:00Z", now)).toBe("5 h ago");
    expect(format.ago("2026-11-13T07:00:00Z", now)).toBe("3 d ago");
  });

  test("says what is left until a deadline", () => {
    expect(format.left(252_000, 0)).toBe("4:12 left");
    expect(format.left(1_680_000, 0)).toBe("28 min left");
    expect(format.left(5, 10)).toBe("no time left");
  });

  test("writes counts, short counts, plurals and sizes", () => {
    expect(format.count(1_284)).toBe("1,284");
    expect([294, 2_940, 12_300, 999_600, 1_320_000, 137_660_000].map(format.short)).toEqual([
      "294",
      "2.9 k",
      "12 k",
      "1.0 M",
      "1.3 M",
      "137.7 M",
    ]);
    expect([format.plural(1, "file"), format.plural(0, "file"), format.plural(2, "reply", "replies")]).toEqual([
      "1 file",
      "0 files",
      "2 replies",
    ]);
    expect([312, 183_000, 2_400_000, 24_000_000].map(format.bytes)).toEqual(["312 B", "183 kB", "2.4 MB", "24 MB"]);
  });

  test("shows a time that cannot be read as unknown", () => {
    expect(format.clockTime("yesterday")).toBe("—");
  });
});
