import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../signal.ts";
import { asCount, asNumber } from "./json-values.ts";
import { omitUndefined } from "./omit-undefined.ts";

const tokens = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;

/** What model calls used, as agents tell it that count what was cached beside the input, and what it cost in dollars. */
export type Amounts = Readonly<Record<(typeof tokens)[number] | "usd", number>>;

/** From whatever the agent sent: what is no amount is none. */
export const amountsOf = (told: Partial<Record<keyof Amounts, unknown>>): Amounts =>
  each((name) => (name === "usd" ? Math.max(0, asNumber(told.usd) ?? 0) : (asCount(told[name]) ?? 0)));

export const noAmounts = amountsOf({});

export const addAmounts = (one: Amounts, other: Amounts): Amounts => each((name) => one[name] + other[name]);

/** What came after the other. */
export const amountsSince = (other: Amounts, one: Amounts): Amounts =>
  each((name) => Math.max(0, one[name] - other[name]));

export const costRecord = ({ input, output, cacheRead, cacheWrite, reasoning, usd }: Amounts): CostRecord => ({
  totalUsd: usd,
  inputTokens: input + cacheRead + cacheWrite,
  outputTokens: output,
  cachedTokens: cacheRead,
  cacheWriteTokens: cacheWrite,
  ...omitUndefined({ thinkingTokens: reasoning || undefined }),
  source: "agent_reported",
});

/** The tokens of a call whose cost is this. */
export function usageOfCost({ inputTokens, outputTokens, cachedTokens = 0, ...rest }: CostRecord): Signal {
  const { thinkingTokens, cacheWriteTokens } = rest;
  const more = omitUndefined({ thinkingTokens, cacheWriteTokens });
  return { kind: "usage", usage: { inputTokens, outputTokens, cachedTokens, ...more } };
}

/** What was used; nothing is said where that is nothing. */
export function usageSignals(usage: Extract<Signal, { kind: "usage" }>["usage"]): Signal[] {
  return usage.inputTokens + usage.outputTokens === 0 ? [] : [{ kind: "usage", usage }];
}

/** The same of tokens as told; those of the input may have the cached ones among them. */
export function usageSignalsOf(told: Partial<Record<keyof Amounts, unknown>>, inputIncludesCache = false): Signal[] {
  const { input, output: outputTokens, cacheRead: cachedTokens, cacheWrite: cacheWriteTokens } = amountsOf(told);
  const inputTokens = inputIncludesCache ? input : input + cachedTokens + cacheWriteTokens;
  return usageSignals({ inputTokens, outputTokens, cachedTokens, cacheWriteTokens });
}

/** Of what there was none, nothing is said. */
export const positiveCounts = <Counts extends Record<string, number>>(counts: Counts): Partial<Counts> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<Counts>;

function each(amount: (name: keyof Amounts) => number): Amounts {
  return Object.fromEntries([...tokens, "usd" as const].map((name) => [name, amount(name)])) as Amounts;
}
