import { expect, it } from "vitest";
import { loadPrices } from "../../assemble/prices.ts";
import { loadPrice } from "../sessions/usage-cost.ts";
import { costOf } from "./model-cost.ts";

const price = await loadPrices();

it("charges for input and output, and less for cached input", () => {
  const call = { inputTokens: 10_000, outputTokens: 500 };
  const plain = price("gpt-5", call) ?? 0;
  expect(plain).toBeGreaterThan(price("gpt-5", { ...call, outputTokens: 0 }) ?? 0);
  expect(price("gpt-5", { ...call, cachedTokens: 9_000 })).toBeLessThan(plain);
  expect(price("gemini-2.5-pro", call)).toBeGreaterThan(0);
});

it("returns undefined for a model without a price", () => {
  expect(price("scripted-model", { inputTokens: 1, outputTokens: 1 })).toBeUndefined();
});

it("counts cache reads and writes as parts of the input, with their own prices", () => {
  const million = 1_000_000;
  const cost = (tokens: object) =>
    price("claude-sonnet-4-5", { inputTokens: million, outputTokens: 0, ...tokens }) ?? 0;
  const [plain, reads, writes] = [cost({}), cost({ cachedTokens: million }), cost({ cacheWriteTokens: million })];
  expect(reads).toBeLessThan(plain);
  expect(writes).toBeGreaterThan(plain);
  const half = { cachedTokens: million / 4, cacheWriteTokens: million / 4 };
  expect(cost(half)).toBeCloseTo(plain / 2 + reads / 4 + writes / 4, 6);
});

it("uses the same rule for runs, models and sessions", async () => {
  const tokens = { inputTokens: 9_000, outputTokens: 700, cachedTokens: 3_000, cacheWriteTokens: 2_000 };
  const model = "claude-sonnet-4-5";
  const expected = price(model, tokens);
  expect(expected).toBeGreaterThan(0);
  expect(await costOf(model, tokens)).toBe(expected);
  expect((await loadPrice())({ model, ...tokens })).toBe(expected);
});

it.each([
  { inputTokens: 10, outputTokens: 1, cachedTokens: 6, cacheWriteTokens: 5 },
  { inputTokens: -1, outputTokens: 1 },
  { inputTokens: Number.NaN, outputTokens: 1 },
])("rejects impossible token counts: %o", async (tokens) => {
  expect(price("gpt-5", tokens)).toBeUndefined();
  expect((await loadPrice())({ model: "gpt-5", ...tokens })).toBeUndefined();
  await expect(costOf("gpt-5", tokens)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});
