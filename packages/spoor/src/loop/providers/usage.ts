import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Signal } from "../../agents/signal.ts";

type Usage = Extract<Signal, { kind: "usage" }>["usage"];

/** The tokens of a call as a signal's usage. Undefined if the provider told none. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const input = inputTokens.total ?? sum(inputTokens.noCache, inputTokens.cacheRead, inputTokens.cacheWrite);
  const output = outputTokens.total ?? sum(outputTokens.text, outputTokens.reasoning);
  if (input === undefined && output === undefined) return undefined;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(inputTokens.cacheRead !== undefined && { cachedTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning !== undefined && { thinkingTokens: outputTokens.reasoning }),
  };
}

function sum(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((one, other) => one + other, 0);
}
