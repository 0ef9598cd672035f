import type { CostRecord } from "@spoor/protocol";
import { asObject, type Json } from "../kit/json-values.ts";
import { type Amounts, amountsOf, amountsSince, costRecord, noAmounts, usageOfCost } from "../kit/usage-amounts.ts";
import type { Signal } from "../signal.ts";

/** The cost of a call and of the process so far. A run that began later has only its part of the latter. */
export class ProcessCosts {
  /** The cost of the last model call. */
  last: CostRecord | undefined;
  #process = noAmounts;
  #before = noAmounts;

  read(frame: Json): Signal[] {
    const call = costRecord(amountsIn(frame));
    // Model calls that a tool makes itself do not belong to the turn.
    if (frame.auxiliary !== true) this.last = call;
    const cumulative = asObject(frame.cumulative);
    if (!cumulative) return [usageOfCost(call)];
    this.#process = amountsIn(cumulative);
    return [usageOfCost(call), { kind: "cost", cost: costRecord(amountsSince(this.#before, this.#process)) }];
  }

  /** Another run begins. */
  restart(): void {
    this.#before = this.#process;
  }
}

const amountsIn = ({ cache_read: cacheRead, cache_write: cacheWrite, cost_usd: usd, ...reported }: Json): Amounts =>
  amountsOf({ ...reported, cacheRead, cacheWrite, usd });
