import { type Estimate, loadPrices } from "../../assemble/prices.ts";
import type { LoopModel } from "./provider.ts";

/**
 * Loads what a model's calls cost by list price. A model of this machine costs nothing. A server without a list of prices
 * has no price: the same model may cost something else there.
 */
export async function loadModelPrices({ id, prices, pricedAs = id, isLocal }: LoopModel): Promise<Estimate> {
  if (isLocal) return () => 0;
  if (prices === undefined) return () => undefined;
  const estimate = await loadPrices();
  // The stream can name a version of the model that the list does not have.
  return (model, tokens) => estimate(model, tokens, prices) ?? estimate(pricedAs, tokens, prices);
}
