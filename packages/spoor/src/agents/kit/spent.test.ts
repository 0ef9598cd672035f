import { expect, it } from "vitest";
import { usedIn } from "./spent.ts";

it("counts what was cached as input, unless it is among it", () => {
  const told = { input: 5, output: 2, cacheRead: 30, cacheWrite: 4 };
  const usage = { outputTokens: 2, cachedTokens: 30, cacheWriteTokens: 4 };
  expect(usedIn(told)).toEqual([{ kind: "usage", usage: { inputTokens: 39, ...usage } }]);
  expect(usedIn({ ...told, input: 39 }, true)).toEqual([{ kind: "usage", usage: { inputTokens: 39, ...usage } }]);
});

it("says nothing where nothing was used, whatever is in its place", () => {
  expect(usedIn({ input: null, output: "many", cacheRead: -1 })).toEqual([]);
});
