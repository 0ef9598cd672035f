import { Count, optional, type Static } from "../schema.ts";
import { agentEvent } from "./base.ts";
import { CostRecord } from "./cost-record.ts";

export const CostEvent = agentEvent("cost", "What the run has cost so far. The last event has the total.", {
  cost: CostRecord,
});
export type CostEvent = Static<typeof CostEvent>;

export const TokenUsageEvent = agentEvent("token_usage", "Tokens of one model call.", {
  inputTokens: Count("Input tokens, cache reads and writes included."),
  outputTokens: Count("Output tokens."),
  thinkingTokens: optional(Count("Tokens spent on thinking.")),
  cachedTokens: optional(Count("Input tokens read from a cache.")),
});
export type TokenUsageEvent = Static<typeof TokenUsageEvent>;
