import type { CostRecord } from "@spoor/protocol";
import type { SessionUsage } from "../../agents/session-log.ts";
import { loadPrices } from "../../assemble/prices.ts";

/** Returns what a model call cost in dollars: as the agent reports it, else by list price, else `undefined`. */
export type Price = (usage: SessionUsage) => number | undefined;

export async function loadPrice(): Promise<Price> {
  const estimate = await loadPrices();
  return ({ model, reportedUsd, ...tokens }) =>
    reportedUsd ?? (model === undefined ? undefined : estimate(model, tokens));
}

/** Adds up model calls. Each call must occur once in `usages`. */
export function sumUsage(usages: Iterable<SessionUsage>, price: Price): CostRecord {
  const sum = { totalUsd: 0, inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };
  const sources = new Set<NonNullable<CostRecord["source"]>>();
  for (const usage of usages) {
    for (const name of tokenFields) sum[name] += usage[name] ?? 0;
    const usd = price(usage);
    if (usd === undefined) continue;
    sum.totalUsd += usd;
    sources.add(usage.reportedUsd === undefined ? "estimated" : "agent_reported");
  }
  // One estimated call makes the sum an estimate.
  const source = sources.has("estimated") ? "estimated" : [...sources][0];
  return { ...sum, ...(source && { source }) };
}

const tokenFields = ["inputTokens", "outputTokens", "thinkingTokens", "cachedTokens", "cacheWriteTokens"] as const;
