import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../signal.ts";
import { asNumber, asObject, type Json } from "./json-values.ts";
import { addAmounts, amountsOf, costRecord, noAmounts, usageOfCost } from "./usage-amounts.ts";

/** Adds up the tokens of a run's model calls, and their cost if the agent reports it. */
export class UsageTotals {
  /** Tokens of the last call: about the size of the context. */
  lastTokens = 0;
  #total = noAmounts;

  /** Adds one call. Without a cost in dollars, only the tokens are reported. */
  add(usage: Json): { signals: Signal[]; cost?: CostRecord } {
    const usd = asNumber(asObject(usage.cost)?.total);
    const call = amountsOf({ ...usage, usd });
    const cost = costRecord(call);
    const tokens = cost.inputTokens + cost.outputTokens;
    // A call that failed before its first token used nothing.
    if (tokens === 0) return { signals: [] };
    this.lastTokens = tokens;
    if (usd === undefined) return { signals: [usageOfCost(cost)] };
    this.#total = addAmounts(this.#total, call);
    return { signals: [usageOfCost(cost), { kind: "cost", cost: costRecord(this.#total) }], cost };
  }

  /** Another run begins. */
  reset(): void {
    this.#total = noAmounts;
  }
}
