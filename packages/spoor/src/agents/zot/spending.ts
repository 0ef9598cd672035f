import type { CostRecord } from "@spoor/protocol";
import { asObject, type Json } from "../kit/json-machine.ts";
import { type Amounts, amountsOf, costOf, nothing, since, usageOf } from "../kit/spent.ts";
import type { Signal } from "../signal.ts";

/** What was used: of a call, and of the process so far, of which a run that began later has only its part. */
export class Spending {
  /** What the last model call cost. */
  last: CostRecord | undefined;
  #process = nothing;
  #before = nothing;

  read(frame: Json): Signal[] {
    const call = costOf(amountsIn(frame));
    // Tools that ask a model themselves are none of the turn's calls.
    if (frame.auxiliary !== true) this.last = call;
    const cumulative = asObject(frame.cumulative);
    if (!cumulative) return [usageOf(call)];
    this.#process = amountsIn(cumulative);
    return [usageOf(call), { kind: "cost", cost: costOf(since(this.#before, this.#process)) }];
  }

  /** Another run begins. */
  restart(): void {
    this.#before = this.#process;
  }
}

const amountsIn = ({ cache_read: cacheRead, cache_write: cacheWrite, cost_usd: usd, ...told }: Json): Amounts =>
  amountsOf({ ...told, cacheRead, cacheWrite, usd });
