import type { Signal } from "../../signal.ts";

type Failure = Extract<Signal, { kind: "fail" }>["event"];

/** What a failed model call means for the run, from the words of the model's service. */
export function failureOf(message: string, loginGuidance: string): Failure {
  if (/context.?(length|window)|maximum context|prompt is too long|too many tokens/i.test(message)) {
    return { type: "context_exceeded", ...contextSizes(message) };
  }
  if (isRateLimit(message)) return { type: "rate_limit_error", message };
  if (isAuth(message)) return { type: "auth_error", message, guidance: loginGuidance };
  return { type: "error", code: "INTERNAL", message, recoverable: false };
}

export const isRateLimit = (message: string): boolean => /\b429\b|rate.?limit|too many requests|quota/i.test(message);

export const isAuth = (message: string): boolean =>
  /\b40[13]\b|unauthori[sz]ed|api.?key|authentication|not logged in/i.test(message);

/** `… maximum context length is 128000 tokens … resulted in 140000 tokens`, or `210000 tokens > 200000 maximum`. */
function contextSizes(message: string): { usedTokens: number; maxTokens: number } {
  const used = /(?:resulted in|:) (\d+) tokens/.exec(message)?.[1];
  const most = /(?:length is|tokens >) (\d+)/.exec(message)?.[1];
  return { usedTokens: Number(used ?? 0), maxTokens: Number(most ?? 0) };
}
