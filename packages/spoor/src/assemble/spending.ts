import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import type { Estimate } from "./prices.ts";

type Usage = Extract<Signal, { kind: "usage" }>["usage"];

/** The cumulative cost of a run: as the agent reports it, or estimated by list price if the agent reports only tokens. */
export class Spending {
  total: CostRecord | undefined;
  #model: string | undefined;
  readonly #emitter: Emitter;
  readonly #estimate: (() => Estimate | undefined) | undefined;

  constructor(emitter: Emitter, estimate: (() => Estimate | undefined) | undefined) {
    this.#emitter = emitter;
    this.#estimate = estimate;
  }

  /** Sets the model of the usage that follows. */
  call(model: string | undefined): void {
    this.#model = model ?? this.#model;
  }

  state(cost: CostRecord): void {
    this.total = cost;
    this.#emitter.emit("cost", { cost });
  }

  use(usage: Usage): void {
    const { cacheWriteTokens: written = 0, ...fields } = usage;
    this.#emitter.emit("token_usage", fields);
    const price = this.#model === undefined ? undefined : this.#estimate?.()?.(this.#model, usage);
    if (price === undefined) return;
    const { totalUsd = 0, inputTokens = 0, outputTokens = 0, cachedTokens = 0, thinkingTokens = 0 } = this.total ?? {};
    const cacheWriteTokens = (this.total?.cacheWriteTokens ?? 0) + written;
    this.state({
      totalUsd: totalUsd + price,
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
      cachedTokens: cachedTokens + (usage.cachedTokens ?? 0),
      thinkingTokens: thinkingTokens + (usage.thinkingTokens ?? 0),
      ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
      source: "estimated",
    });
  }
}
