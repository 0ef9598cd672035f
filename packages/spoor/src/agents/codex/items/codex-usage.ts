import { asCount, asObject, type Json } from "../../kit/json-values.ts";
import { usageSignals } from "../../kit/usage-amounts.ts";
import type { Signal } from "../../signal.ts";

export interface Tokens {
  input: number;
  cached: number;
  output: number;
  thinking: number;
}

export const noTokens: Tokens = { input: 0, cached: 0, output: 0, thinking: 0 };

/** Token counts in either spelling; the input includes cached tokens. */
export function tokensOf(usage: unknown): Tokens {
  const counts: Json = asObject(usage) ?? {};
  const count = (name: string, snake: string) => asCount(counts[name] ?? counts[snake]) ?? 0;
  return {
    input: count("inputTokens", "input_tokens"),
    cached: count("cachedInputTokens", "cached_input_tokens"),
    output: count("outputTokens", "output_tokens"),
    thinking: count("reasoningOutputTokens", "reasoning_output_tokens"),
  };
}

/** Codex reports totals of the thread, so the usage is the difference between two of them. */
export function tokensSince(now: Tokens, before: Tokens): Tokens {
  const left = (name: keyof Tokens) => Math.max(0, now[name] - before[name]);
  return { input: left("input"), cached: left("cached"), output: left("output"), thinking: left("thinking") };
}

export const usage = ({ input, cached, output, thinking }: Tokens): Signal[] =>
  usageSignals({ inputTokens: input, outputTokens: output, thinkingTokens: thinking, cachedTokens: cached });
