import { Count, oneOf, optional, type Static, Type } from "../schema.ts";
import { costSources } from "./cost-sources.ts";

/** What a run, a turn or a subagent used. Amounts that were not reported are 0 (`totalUsd`) or absent (all others). */
export const CostRecord = Type.Object(
  {
    totalUsd: Type.Number({ minimum: 0, description: "Cost in US dollars; 0 when unknown." }),
    inputTokens: Count("Input tokens, cache reads and writes included."),
    outputTokens: Count("Output tokens."),
    thinkingTokens: optional(Count("Tokens spent on thinking; absent when there was none.")),
    cachedTokens: optional(Count("Input tokens read from a cache; absent when caching is unsupported.")),
    cacheWriteTokens: optional(Count("Input tokens written to a cache.")),
    source: optional(oneOf(costSources, "Where the figure comes from.")),
  },
  { description: "Cost and token usage." },
);
export type CostRecord = Static<typeof CostRecord>;
