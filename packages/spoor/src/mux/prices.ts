import type { AgentEventOf } from "@spoor/protocol";

type Usage = Pick<AgentEventOf<"token_usage">, "inputTokens" | "outputTokens" | "cachedTokens">;

/** What a model call costs by list price, in dollars; undefined for a model nobody has a price for. */
export type Estimate = (model: string, usage: Usage) => number | undefined;

/**
 * List prices, from a library that follows the providers'. Loaded on demand: the table is large, and agents that state
 * their cost need none of it.
 */
export async function loadPrices(): Promise<Estimate> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  return (model, { inputTokens, outputTokens, cachedTokens = 0 }) => {
    // The library refuses counts that cannot be; an agent that printed such is told without a price.
    if (cachedTokens > inputTokens || Math.min(inputTokens, outputTokens, cachedTokens) < 0) return undefined;
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cachedTokens };
    return calcPrice(usage, model)?.total_price;
  };
}
