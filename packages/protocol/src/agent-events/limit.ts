import { Count, optional, type Static, Text, Type } from "../schema.ts";
import { agentEvent } from "./base.ts";

export const RateLimitedEvent = agentEvent("rate_limited", "The model's service asks to slow down.", {
  retryAfterMs: optional(Count("How long the service asks to wait, in milliseconds.")),
});
export type RateLimitedEvent = Static<typeof RateLimitedEvent>;

export const ContextLimitWarningEvent = agentEvent("context_limit_warning", "The context window is filling up.", {
  usedTokens: Count("Tokens in use; 0 when unknown."),
  maxTokens: Count("Size of the window; 0 when unknown."),
  pctUsed: Type.Number({ minimum: 0, maximum: 100, description: "Share in use, in percent." }),
});
export type ContextLimitWarningEvent = Static<typeof ContextLimitWarningEvent>;

export const ContextCompactedEvent = agentEvent("context_compacted", "The agent shortened its context.", {
  summary: Text("What was kept or removed."),
  tokensSaved: Count("Tokens freed; 0 when unknown."),
});
export type ContextCompactedEvent = Static<typeof ContextCompactedEvent>;

export const RetryEvent = agentEvent("retry", "A failed model call is about to be tried again.", {
  attempt: Type.Integer({ minimum: 1, description: "Which retry this is, from 1." }),
  maxAttempts: Count("The maximum number of retries; 0 when unknown."),
  reason: Text("Why the call failed."),
  delayMs: Count("Delay before the retry, in milliseconds; 0 when unknown."),
});
export type RetryEvent = Static<typeof RetryEvent>;
