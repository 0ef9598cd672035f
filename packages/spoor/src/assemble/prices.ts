/** The tokens of a model call. `inputTokens` includes those read from a cache and those written to one. */
export interface CallTokens {
  inputTokens: number;
  outputTokens: number;
  /** Read from a cache. */
  cachedTokens?: number;
  cacheWriteTokens?: number;
}

/**
 * Returns the list price of a model call in dollars; input, cache reads, cache writes and output each have their own
 * price. Returns undefined for a model without a known price and for impossible counts.
 */
export type Estimate = (model: string, tokens: CallTokens, providerId?: string) => number | undefined;

/** Loads the list prices of all providers. The table is large, so load it only for agents that do not state their cost. */
export async function loadPrices(): Promise<Estimate> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  return (model, tokens, providerId) => {
    // The library throws on impossible counts.
    if (problemWith(tokens) !== undefined) return undefined;
    const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = tokens;
    const usage = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_tokens: cachedTokens,
      cache_write_tokens: cacheWriteTokens,
    };
    return calcPrice(usage, model, providerId === undefined ? {} : { providerId })?.total_price;
  };
}

/** Returns a sentence that says why these counts are impossible; undefined if they are possible. */
export function problemWith({
  inputTokens,
  outputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
}: CallTokens): string | undefined {
  const counts = { inputTokens, outputTokens, cachedTokens, cacheWriteTokens };
  const bad = Object.entries(counts).find(([, count]) => !Number.isFinite(count) || count < 0);
  if (bad) return `${bad[0]} must be a number of at least 0.`;
  if (cachedTokens + cacheWriteTokens <= inputTokens) return undefined;
  return "cachedTokens and cacheWriteTokens are parts of inputTokens, so their sum must not exceed it.";
}
