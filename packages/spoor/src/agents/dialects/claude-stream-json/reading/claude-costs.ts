import { asObject, type Json } from "../../../kit/json-values.ts";
import {
  type Amounts,
  addAmounts,
  amountsOf,
  amountsSince,
  costRecord,
  noAmounts,
} from "../../../kit/usage-amounts.ts";
import type { Signal } from "../../../signal.ts";

/**
 * What a run cost, from the models' usage since the last result. Neither `total_cost_usd`, which includes the history of
 * a resumed session, nor `usage`, which leaves out subagents, would do.
 */
export class RunCosts {
  #total = noAmounts;
  #before = noAmounts;

  /** A result: the total with it, if it adds anything. With one that failed the run is over. */
  read({ modelUsage, model_usage_since_last_result: latest, usage, is_error }: Json): Signal[] {
    const all = amountsIn(modelUsage);
    const added = asObject(latest) ? amountsIn(latest) : amountsSince(this.#before, all);
    const total = addAmounts(this.#total, added);
    this.#before = all;
    this.#total = is_error === true ? noAmounts : total;
    const isMore = Object.values(added).some((amount) => amount > 0);
    if (isMore) return [{ kind: "cost", cost: costRecord(total) }];
    // An agent that tells no money counts tokens, its side requests among them.
    const isCount = modelUsage === undefined && usage !== undefined;
    return isCount ? [{ kind: "note", message: `Counted by the agent: ${JSON.stringify(usage)}` }] : [];
  }
}

/** Of all models together. */
const amountsIn = (models: unknown): Amounts =>
  Object.values(asObject(models) ?? {}).reduce<Amounts>(
    (sum, model) => addAmounts(sum, amountsOfModel(model)),
    noAmounts,
  );

function amountsOfModel(model: unknown): Amounts {
  const { inputTokens: input, outputTokens: output, thinkingTokens: reasoning, ...told } = asObject(model) ?? {};
  const { cacheReadInputTokens: cacheRead, cacheCreationInputTokens: cacheWrite, costUSD: usd } = told;
  return amountsOf({ input, output, reasoning, cacheRead, cacheWrite, usd });
}
