import { type CallTokens, loadPrices, problemWith } from "../../assemble/prices.ts";
import { ValidationError } from "../../failures/errors.ts";

export type ModelUsage = CallTokens;

/** What a call costs by list price, in dollars; undefined for a model without one. */
export async function costOf(id: string, usage: ModelUsage, providerId?: string): Promise<number | undefined> {
  const message = problemWith(usage);
  if (message !== undefined) throw new ValidationError([{ field: "usage", message }]);
  return (await loadPrices())(id, usage, providerId);
}
