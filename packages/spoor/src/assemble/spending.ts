import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import type { Estimate } from "./prices.ts";

type Usage = Extract<Signal, { kind: "usage" }>["usage"];

/** When tokens are priced: as soon as they are reported, or at the end of a turn whose cost the agent did not report. */
export type EstimateMoment = "usage" | "turn";

export interface SpendingOptions {
  /** List prices. Undefined until they are loaded. Without this, only costs that the agent reports count. */
  estimate?: () => Estimate | undefined;
  /** Default: `usage`. */
  estimateAt?: EstimateMoment;
  /** The run whose reported cost includes this one. It gets the tokens of this run. */
  chargeTo?: Spending;
}

/**
 * The cumulative cost of a run: as the agent reports it. Tokens whose cost the agent has not reported yet are estimated by
 * list price. The next report replaces the estimate.
 */
export class Spending {
  total: CostRecord | undefined;
  #model: string | undefined;
  /** Tokens without a price so far. */
  #waiting: { model: string; usage: Usage }[] = [];
  /** The part of the total that was estimated since the last report. */
  #estimated: CostRecord | undefined;
  /** Estimates of attempts that failed before they reported a cost. */
  #lost: CostRecord | undefined;
  readonly #emitter: Emitter;
  readonly #options: SpendingOptions;

  constructor(emitter: Emitter, options: SpendingOptions) {
    this.#emitter = emitter;
    this.#options = options;
  }

  /** Sets the model of the usage that follows. */
  call(model: string | undefined): void {
    this.#model = model ?? this.#model;
  }

  /** The agent reports its cost so far. */
  state(cost: CostRecord): void {
    this.#waiting = [];
    this.#estimated = undefined;
    this.#setTotal(this.#lost ? sumOf(this.#lost, cost) : cost);
  }

  use(usage: Usage): void {
    const { cacheWriteTokens: _, ...fields } = usage;
    this.#emitter.emit("token_usage", fields);
    if (this.#model !== undefined) (this.#options.chargeTo ?? this).charge(this.#model, usage);
  }

  charge(model: string, usage: Usage): void {
    if (!this.#options.estimate) return;
    this.#waiting.push({ model, usage });
    if (this.#options.estimateAt !== "turn") this.settle();
  }

  /** Estimates the cost of the tokens that wait for a price. */
  settle(): void {
    const estimate = this.#waiting.length > 0 ? this.#options.estimate?.() : undefined;
    if (!estimate) return;
    for (const { model, usage } of this.#waiting.splice(0)) {
      const price = estimate(model, usage);
      if (price === undefined) continue;
      const cost = costOf(price, usage);
      this.#estimated = this.#estimated ? sumOf(this.#estimated, cost) : cost;
      this.#setTotal(this.total ? sumOf(this.total, cost) : cost);
    }
  }

  /** Another process repeats the prompt: it does not report what the one before has cost. */
  retry(): void {
    this.settle();
    if (this.#estimated) this.#lost = this.#lost ? sumOf(this.#lost, this.#estimated) : this.#estimated;
    this.#estimated = undefined;
  }

  #setTotal(cost: CostRecord): void {
    this.total = cost;
    this.#emitter.emit("cost", { cost });
  }
}

const costOf = (totalUsd: number, usage: Usage): CostRecord => {
  const { inputTokens, outputTokens, cachedTokens = 0, thinkingTokens = 0, cacheWriteTokens = 0 } = usage;
  const written = cacheWriteTokens > 0 && { cacheWriteTokens };
  return { totalUsd, inputTokens, outputTokens, cachedTokens, thinkingTokens, ...written, source: "estimated" };
};

/** The sum has the source of the second: the newest figure says how sure the total is. */
function sumOf(one: CostRecord, other: CostRecord): CostRecord {
  const add = (field: "thinkingTokens" | "cachedTokens" | "cacheWriteTokens") =>
    one[field] === undefined && other[field] === undefined ? {} : { [field]: (one[field] ?? 0) + (other[field] ?? 0) };
  return {
    totalUsd: one.totalUsd + other.totalUsd,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...add("cachedTokens"),
    ...add("thinkingTokens"),
    ...add("cacheWriteTokens"),
    ...(other.source && { source: other.source }),
  };
}
