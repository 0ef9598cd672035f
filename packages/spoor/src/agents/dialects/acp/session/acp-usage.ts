import { asCount, asNumber, asObject, type Json } from "../../../kit/json-values.ts";
import { positiveCounts } from "../../../kit/usage-amounts.ts";
import type { Signal } from "../../../signal.ts";

type Usage = Extract<Signal, { kind: "usage" }>;

/** Reads token counts in any spelling; returns undefined if all are zero. */
export function usageOf(value: unknown): Usage | undefined {
  const fields = asObject(value);
  if (!fields) return undefined;
  const count = (name: string, otherName = "") => asCount(fields[name] ?? fields[otherName]) ?? 0;
  const input = count("inputTokens", "input_tokens");
  const outputTokens = count("outputTokens", "output_tokens");
  if (input + outputTokens === 0) return undefined;
  const cachedTokens = count("cachedReadTokens", "cachedInputTokens");
  const thinkingTokens = count("thoughtTokens", "reasoningOutputTokens");
  const cacheWriteTokens = count("cachedWriteTokens");
  const cached = cachedTokens + cacheWriteTokens;
  // Some agents include cached tokens in the input and some do not; the total shows which.
  const inputTokens = count("totalTokens") >= input + outputTokens + cached ? input + cached : input;
  const optional = { thinkingTokens, cachedTokens, cacheWriteTokens };
  return { kind: "usage", usage: { inputTokens, outputTokens, ...positiveCounts(optional) } };
}

/**
 * The cost of a run. ACP reports the cost of the whole session. For a resumed session the cost at the start of the run
 * is unknown until the agent reports it, and until then no cost is reported.
 */
export class Costs {
  #start: number | undefined;
  #last: number | undefined;
  #tokens = { inputTokens: 0, outputTokens: 0 };

  constructor(isResumed: boolean) {
    this.#start = isResumed ? undefined : 0;
  }

  used({ usage }: Usage): Signal[] {
    this.#tokens.inputTokens += usage.inputTokens;
    this.#tokens.outputTokens += usage.outputTokens;
    return this.#soFar();
  }

  /** A cost that comes with the session's history was incurred before this run. */
  updated({ cost }: Json, isHistory: boolean): Signal[] {
    const { amount, currency } = asObject(cost) ?? {};
    const usd = currency === "USD" ? asNumber(amount) : undefined;
    this.#last = usd ?? this.#last;
    if (isHistory) this.#start ??= usd;
    return usd === undefined || isHistory ? [] : this.#soFar();
  }

  #soFar(): Signal[] {
    if (this.#start === undefined || this.#last === undefined) return [];
    const totalUsd = Math.max(0, this.#last - this.#start);
    return [{ kind: "cost", cost: { totalUsd, ...this.#tokens, source: "agent_reported" } }];
  }

  /** The next prompt belongs to another run. */
  endRun(): void {
    this.#start = this.#last ?? this.#start;
    this.#last = undefined;
    this.#tokens = { inputTokens: 0, outputTokens: 0 };
  }
}
