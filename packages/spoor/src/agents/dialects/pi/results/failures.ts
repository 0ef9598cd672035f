import { byLimit, byLogin, type Failure, type FailureRule, failureBy, internal } from "../../../failure.ts";

/** What a failed model call means for the run, from the words of the model's service. */
export const failureOf = (message: string, login: string): Failure =>
  failureBy(rules, undefined, message, login) ?? internal(message);

const rateLimit = /\b429\b|rate.?limit|too many requests|quota/i;
const auth = /\b40[13]\b|unauthori[sz]ed|api.?key|authentication|not logged in/i;

const rules: readonly FailureRule[] = [
  {
    words: /context.?(length|window)|maximum context|prompt is too long|too many tokens/i,
    make: (message) => ({ type: "context_exceeded", ...contextSizes(message) }),
  },
  { words: rateLimit, make: byLimit },
  { words: auth, make: byLogin },
];

export const isRateLimit = (message: string): boolean => rateLimit.test(message);

export const isAuth = (message: string): boolean => auth.test(message);

/** `… maximum context length is 128000 tokens … resulted in 140000 tokens`, or `210000 tokens > 200000 maximum`. */
function contextSizes(message: string): { usedTokens: number; maxTokens: number } {
  const used = /(?:resulted in|:) (\d+) tokens/.exec(message)?.[1];
  const most = /(?:length is|tokens >) (\d+)/.exec(message)?.[1];
  return { usedTokens: Number(used ?? 0), maxTokens: Number(most ?? 0) };
}
