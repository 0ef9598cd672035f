import { expect, it } from "vitest";
import { usageSignalsOf } from "./usage-amounts.ts";

it("adds cached tokens to the input, unless the input includes them", () => {
  const reported = { input: 5, output: 2, cacheRead: 30, cacheWrite: 4 };
  const usage = { outputTokens: 2, cachedTokens: 30, cacheWriteTokens: 4 };
  expect(usageSignalsOf(reported)).toEqual([{ kind: "usage", usage: { inputTokens: 39, ...usage } }]);
  expect(usageSignalsOf({ ...reported, input: 39 }, true)).toEqual([
    { kind: "usage", usage: { inputTokens: 39, ...usage } },
  ]);
});

it("reports nothing if all amounts are zero or invalid", () => {
  expect(usageSignalsOf({ input: null, output: "many", cacheRead: -1 })).toEqual([]);
});
