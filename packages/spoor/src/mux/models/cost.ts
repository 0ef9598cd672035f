import { ValidationError } from "../errors.ts";

/** Of all input tokens, the cached ones are part. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
}

/** What a call costs by list price, in dollars; undefined for a model without one. */
export async function costOf(id: string, usage: ModelUsage, providerId?: string): Promise<number | undefined> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage;
  const tokens = { input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cachedTokens };
  try {
    return calcPrice(tokens, id, providerId === undefined ? {} : { providerId })?.total_price;
  } catch (error) {
    throw new ValidationError([{ field: "usage", message: (error as Error).message }]);
  }
}
