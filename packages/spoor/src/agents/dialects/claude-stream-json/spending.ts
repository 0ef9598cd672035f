import type { CostRecord } from "@spoor/protocol";
import { asNumber, asObject, type Json } from "../../json-machine.ts";

/**
 * What a run cost, from the models' usage since the last result. Neither `total_cost_usd`, which includes the history of
 * a resumed session, nor `usage`, which leaves out subagents, would do.
 */
export class Spending {
  #total: Amounts = {};
  #before: Amounts = {};

  /** The total with this result, if it adds anything. */
  add(result: Json): CostRecord | undefined {
    const all = sum(result.modelUsage);
    const since = asObject(result.model_usage_since_last_result);
    const added = since ? sum(since) : combine(all, this.#before, -1);
    this.#before = all;
    this.#total = combine(this.#total, added, 1);
    return Object.values(added).some((amount) => amount > 0) ? recordOf(this.#total) : undefined;
  }

  /** The next run begins. */
  restart(): void {
    this.#total = {};
  }
}

/** By the agent's names for them. */
type Amounts = Readonly<Record<string, number>>;

const sum = (models: unknown): Amounts =>
  Object.values(asObject(models) ?? {}).reduce<Amounts>((total, model) => combine(total, asObject(model) ?? {}, 1), {});

function combine(amounts: Amounts, others: Json, sign: number): Amounts {
  const entries = names.map((name) => [name, (amounts[name] ?? 0) + sign * (asNumber(others[name]) ?? 0)] as const);
  return Object.fromEntries(entries.map(([name, amount]) => [name, Math.max(0, amount)]));
}

const names = [
  ...["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"],
  ...["outputTokens", "thinkingTokens", "costUSD"],
];

function recordOf(amounts: Amounts): CostRecord {
  const [input = 0, cachedTokens = 0, cacheWriteTokens = 0, output = 0, thinkingTokens = 0, totalUsd = 0] = names.map(
    (name) => (name === "costUSD" ? amounts[name] : Math.round(amounts[name] ?? 0)),
  );
  return {
    totalUsd,
    inputTokens: input + cachedTokens + cacheWriteTokens,
    outputTokens: output,
    ...(thinkingTokens > 0 && { thinkingTokens }),
    cachedTokens,
    cacheWriteTokens,
    source: "agent_reported",
  };
}
