/** The tokens of a model call. Those that were read from a cache, and those written to one, are part of the input. */
export interface CallTokens {
  inputTokens: number;
  outputTokens: number;
  /** Read from a cache. */
  cachedTokens?: number;
  cacheWriteTokens?: number;
}

/**
 * What a model call costs by list price, in dollars: input, cache reads, cache writes and output each at their own. It is
 * undefined for a model nobody has a price for, and for counts that cannot be.
 */
export type Estimate = (model: string, tokens: CallTokens, providerId?: string) => number | undefined;

/**
 * List prices, from a library that follows the providers'. Loaded on demand: the table is large, and agents that state
 * their cost need none of it.
 */
export async function loadPrices(): Promise<Estimate> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  return (model, tokens, providerId) => {
    // The library refuses such counts; an agent that printed them is told without a price.
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

/** Why tokens cannot be of a model call, as a sentence. */
export function problemWith({
  inputTokens,
  outputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
}: CallTokens): string | undefined {
  const counts = { inputTokens, outputTokens, cachedTokens, cacheWriteTokens };
  const bad = Object.entries(counts).find(([, count]) => !Number.isFinite(count) || count < 0);
  if (bad) return `${bad[0]} is a number from 0 on.`;
  if (cachedTokens + cacheWriteTokens <= inputTokens) return undefined;
  return "cachedTokens and cacheWriteTokens are part of inputTokens: they cannot be more.";
}
