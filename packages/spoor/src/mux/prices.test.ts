import { expect, it } from "vitest";
import { loadPrices } from "./prices.ts";

const price = await loadPrices();

it("charges for input and output, and less for what came from a cache", () => {
  const call = { inputTokens: 10_000, outputTokens: 500 };
  const plain = price("gpt-5", call) ?? 0;
  expect(plain).toBeGreaterThan(price("gpt-5", { ...call, outputTokens: 0 }) ?? 0);
  expect(price("gpt-5", { ...call, cachedTokens: 9_000 })).toBeLessThan(plain);
  expect(price("gemini-2.5-pro", call)).toBeGreaterThan(0);
});

it("knows no price of a model nobody sells", () => {
  expect(price("scripted-model", { inputTokens: 1, outputTokens: 1 })).toBeUndefined();
});
