import { given } from "../../../given.ts";
import { asCount, asNumber, asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";

type Usage = Extract<Signal, { kind: "usage" }>;

/** A record of tokens, whichever way it is spelt; one of nothing but zeros tells nothing. */
export function usageOf(value: unknown): Usage | undefined {
  const fields = asObject(value) ?? {};
  const count = (...names: string[]) => asCount(names.map((name) => fields[name]).find((found) => found !== undefined));
  const input = count("inputTokens", "input_tokens") ?? 0;
  const outputTokens = count("outputTokens", "output_tokens") ?? 0;
  if (input + outputTokens === 0) return undefined;
  const cachedTokens = count("cachedReadTokens", "cachedInputTokens");
  const thinkingTokens = count("thoughtTokens", "reasoningOutputTokens");
  const cached = (cachedTokens ?? 0) + (count("cachedWriteTokens") ?? 0);
  // Some count what was cached beside the input, some within it: the total tells.
  const total = count("totalTokens") ?? 0;
  const inputTokens = total >= input + outputTokens + cached ? input + cached : input;
  const optional = given({ thinkingTokens: thinkingTokens || undefined, cachedTokens: cachedTokens || undefined });
  return { kind: "usage", usage: { inputTokens, outputTokens, ...optional } };
}

/**
 * Costs of one session. ACP's figure is for the session's whole life; ours is for the run. Of a session that goes on
 * from an earlier process the start is not known until it is told, and until then no cost is.
 */
export class Costs {
  #start: number | undefined;
  #last: number | undefined;
  #tokens = { inputTokens: 0, outputTokens: 0 };

  constructor(isResumed: boolean) {
    this.#start = isResumed ? undefined : 0;
  }

  used({ usage }: Usage): void {
    this.#tokens.inputTokens += usage.inputTokens;
    this.#tokens.outputTokens += usage.outputTokens;
  }

  /** What is told with the session's history is what it cost before. */
  updated(frame: Json, isHistory: boolean): Signal[] {
    const cost = asObject(frame.cost);
    const amount = asText(cost?.currency) === "USD" ? asNumber(cost?.amount) : undefined;
    if (amount === undefined) return [];
    this.#last = amount;
    if (isHistory) this.#start ??= amount;
    return this.soFar();
  }

  soFar(): Signal[] {
    if (this.#start === undefined || this.#last === undefined) return [];
    const totalUsd = Math.max(0, this.#last - this.#start);
    return [{ kind: "cost", cost: { totalUsd, ...this.#tokens, source: "agent_reported" } }];
  }

  /** The next prompt is of another run. */
  endRun(): void {
    this.#start = this.#last ?? this.#start;
    this.#last = undefined;
    this.#tokens = { inputTokens: 0, outputTokens: 0 };
  }
}
