import { expect, it } from "vitest";
import { keepLimit } from "./keep-limit.ts";

it("reads an age, a number of runs and a size, and joins several limits", () => {
  expect(keepLimit("30d")).toEqual({ max_age_ms: 30 * 86_400_000 });
  expect(keepLimit("500runs")).toEqual({ max_runs: 500 });
  expect(keepLimit("10GB")).toEqual({ max_bytes: 10 * 1024 ** 3 });
  expect(keepLimit("1.5g", keepLimit("500runs", keepLimit("12h")))).toEqual({
    ...{ max_age_ms: 43_200_000, max_runs: 500, max_bytes: 1.5 * 1024 ** 3 },
  });
  expect(keepLimit("30m")).toEqual({ max_age_ms: 1_800_000 });
  expect(keepLimit("30MB")).toEqual({ max_bytes: 30 * 1024 ** 2 });
});

it.for(["", "30", "0runs", "many", "10XB", "-1d"])("refuses %j and says what it takes", (text) => {
  expect(() => keepLimit(text)).toThrow(/--keep takes an age such as 30d, a number such as 500runs, or a size/);
});
