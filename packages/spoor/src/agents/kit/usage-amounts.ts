import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../signal.ts";
import { asCount, asNumber } from "./json-values.ts";
import { omitUndefined } from "./omit-undefined.ts";

const tokens = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;

/** Tokens and dollars of model calls. `input` excludes the cached tokens. */
export type Amounts = Readonly<Record<(typeof tokens)[number] | "usd", number>>;

/**
 * From the agent's values; an invalid value is 0.
 *
 * @example
 * amountsOf({ input: 120, output: "many", usd: 0.01 }); // input 120, usd 0.01, all others 0
 */
export const amountsOf = (reported: Partial<Record<keyof Amounts, unknown>>): Amounts =>
  each((name) => (name === "usd" ? Math.max(0, asNumber(reported.usd) ?? 0) : (asCount(reported[name]) ?? 0)));

export const noAmounts = amountsOf({});

/** The sum of two amounts. */
export const addAmounts = (one: Amounts, other: Amounts): Amounts => each((name) => one[name] + other[name]);

/** The amounts that were added after `other`. */
export const amountsSince = (other: Amounts, one: Amounts): Amounts =>
  each((name) => Math.max(0, one[name] - other[name]));

/**
 * The amounts as a cost that the agent reports; its input includes the cached tokens.
 *
 * @example
 * const cost = costRecord(amountsOf({ input: 120, cacheRead: 80, output: 30, usd: 0.01 }));
 * cost.inputTokens; // 200
 */
export const costRecord = ({ input, output, cacheRead, cacheWrite, reasoning, usd }: Amounts): CostRecord => ({
  totalUsd: usd,
  inputTokens: input + cacheRead + cacheWrite,
  outputTokens: output,
  cachedTokens: cacheRead,
  cacheWriteTokens: cacheWrite,
  ...omitUndefined({ thinkingTokens: reasoning || undefined }),
  source: "agent_reported",
});

/** The tokens of a call with this cost. */
export function usageOfCost({ inputTokens, outputTokens, cachedTokens = 0, ...rest }: CostRecord): Signal {
  const { thinkingTokens, cacheWriteTokens } = rest;
  const more = omitUndefined({ thinkingTokens, cacheWriteTokens });
  return { kind: "usage", usage: { inputTokens, outputTokens, cachedTokens, ...more } };
}

/** The usage as a signal; none if it is zero. */
export function usageSignals(usage: Extract<Signal, { kind: "usage" }>["usage"]): Signal[] {
  return usage.inputTokens + usage.outputTokens === 0 ? [] : [{ kind: "usage", usage }];
}

/**
 * The same from an agent's values, whose input may include the cached tokens.
 *
 * @example
 * usageSignalsOf({ input: 120, cacheRead: 80, output: 30 }); // inputTokens 200, cachedTokens 80
 * usageSignalsOf({ input: 120, cacheRead: 80 }, true); // inputTokens 120, since it includes the cached ones
 */
export function usageSignalsOf(
  reported: Partial<Record<keyof Amounts, unknown>>,
  inputIncludesCache = false,
): Signal[] {
  const { input, output: outputTokens, cacheRead: cachedTokens, cacheWrite: cacheWriteTokens } = amountsOf(reported);
  const inputTokens = inputIncludesCache ? input : input + cachedTokens + cacheWriteTokens;
  return usageSignals({ inputTokens, outputTokens, cachedTokens, cacheWriteTokens });
}

/** The counts that are above zero. */
export const positiveCounts = <Counts extends Record<string, number>>(counts: Counts): Partial<Counts> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<Counts>;

function each(amount: (name: keyof Amounts) => number): Amounts {
  return Object.fromEntries([...tokens, "usd" as const].map((name) => [name, amount(name)])) as Amounts;
}
