import { type CallTokens, loadPrices, problemWith } from "../../assemble/prices.ts";
import { ValidationError } from "../../failures/errors.ts";

/** The tokens of one call of a model. */
export type ModelUsage = CallTokens;

/** Returns what a call costs by list price, in dollars, or `undefined` for a model without a price. */
export async function costOf(id: string, usage: ModelUsage, providerId?: string): Promise<number | undefined> {
  const message = problemWith(usage);
  if (message !== undefined) throw new ValidationError([{ field: "usage", message }]);
  return (await loadPrices())(id, usage, providerId);
}
