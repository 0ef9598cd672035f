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
 * The cost of a run, from the models' usage since the last result. `total_cost_usd` is not used because it includes the
 * history of a resumed session, and `usage` is not used because it leaves out subagents.
 */
export class RunCosts {
  #total = noAmounts;
  #before = noAmounts;

  /** Reads a result. Returns the new total if it changed. A failed result ends the run. */
  read({ modelUsage, model_usage_since_last_result: latest, usage, is_error }: Json): Signal[] {
    const all = amountsIn(modelUsage);
    const added = asObject(latest) ? amountsIn(latest) : amountsSince(this.#before, all);
    const total = addAmounts(this.#total, added);
    this.#before = all;
    this.#total = is_error === true ? noAmounts : total;
    const isMore = Object.values(added).some((amount) => amount > 0);
    if (isMore) return [{ kind: "cost", cost: costRecord(total) }];
    // An agent that reports no cost counts tokens, including those of its internal requests.
    const isCount = modelUsage === undefined && usage !== undefined;
    return isCount ? [{ kind: "note", message: `Counted by the agent: ${JSON.stringify(usage)}` }] : [];
  }
}

/** The sum over all models. */
const amountsIn = (models: unknown): Amounts =>
  Object.values(asObject(models) ?? {}).reduce<Amounts>(
    (sum, model) => addAmounts(sum, amountsOfModel(model)),
    noAmounts,
  );

function amountsOfModel(model: unknown): Amounts {
  const { inputTokens: input, outputTokens: output, thinkingTokens: reasoning, ...reported } = asObject(model) ?? {};
  const { cacheReadInputTokens: cacheRead, cacheCreationInputTokens: cacheWrite, costUSD: usd } = reported;
  return amountsOf({ input, output, reasoning, cacheRead, cacheWrite, usd });
}
