import { costSources } from "../agent-events/cost-sources.ts";
import { Count, oneOf, optional, Type } from "../schema.ts";

/** The fields of a stored CostRecord. They are fields of the payload itself; `total_usd` is present if the payload has a cost. */
export const costFields = {
  total_usd: optional(Type.Number({ minimum: 0, description: "The cost as it was reported." })),
  cost_micros_usd: optional(Count("The same in millionths of a dollar.")),
  input_tokens: optional(Count("Input tokens, cache reads and writes included.")),
  output_tokens: optional(Count("Output tokens.")),
  thinking_tokens: optional(Count("Tokens spent on thinking.")),
  cached_input_tokens: optional(Count("Input tokens read from a cache.")),
  cache_write_tokens: optional(Count("Input tokens written to a cache.")),
  cost_source: optional(oneOf(costSources, "Where the cost comes from.")),
};
