import type { CostRecord } from "@spoor/protocol";
import { asNumber, asObject, type Json } from "../../../json-machine.ts";

/**
 * What a run cost, from the models' usage since the last result. Neither `total_cost_usd`, which includes the history of
 * a resumed session, nor `usage`, which leaves out subagents, would do.
 */
export class Spending {
  #total = nothing;
  #before = nothing;

  /** The total with this result, if it adds anything. */
  add({ modelUsage, model_usage_since_last_result: since }: Json): CostRecord | undefined {
    const all = sum(modelUsage);
    const added = asObject(since) ? sum(since) : all.map((amount, at) => Math.max(0, amount - (this.#before[at] ?? 0)));
    this.#before = all;
    this.#total = added.map((amount, at) => amount + (this.#total[at] ?? 0));
    return added.some((amount) => amount > 0) ? recordOf(this.#total) : undefined;
  }

  /** The next run begins. */
  restart(): void {
    this.#total = nothing;
  }
}

/** In the order of the names. */
type Amounts = readonly number[];

const names = [
  ...["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"],
  ...["outputTokens", "thinkingTokens", "costUSD"],
];
const nothing: Amounts = [];

function sum(models: unknown): Amounts {
  const each = Object.values(asObject(models) ?? {});
  const amountOf = (model: unknown, name: string) => Math.max(0, asNumber(asObject(model)?.[name]) ?? 0);
  return names.map((name) => each.reduce<number>((total, model) => total + amountOf(model, name), 0));
}

function recordOf(amounts: Amounts): CostRecord {
  const [input = 0, cachedTokens = 0, cacheWriteTokens = 0, outputTokens = 0, thinkingTokens = 0] = amounts.map(
    Math.round,
  );
  return {
    totalUsd: amounts[names.indexOf("costUSD")] ?? 0,
    inputTokens: input + cachedTokens + cacheWriteTokens,
    outputTokens,
    ...(thinkingTokens > 0 && { thinkingTokens }),
    cachedTokens,
    cacheWriteTokens,
    source: "agent_reported",
  };
}
