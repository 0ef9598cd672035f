import { type Failure, failureOf as failureInWords } from "../../../kit/failures.ts";

/** The failure of a model call, from the provider's message. */
export function failureOf(message: string, login: string): Failure {
  const failure = failureInWords(undefined, message, login);
  if (failure.type !== "context_exceeded") return failure;
  // `… maximum context length is 128000 tokens … resulted in 140000 tokens`, or `210000 tokens > 200000 maximum`.
  const used = /(?:resulted in|:) (\d+) tokens/.exec(message)?.[1];
  const most = /(?:length is|tokens >) (\d+)/.exec(message)?.[1];
  return { ...failure, usedTokens: Number(used ?? 0), maxTokens: Number(most ?? 0) };
}
