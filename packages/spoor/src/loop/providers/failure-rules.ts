import type { FailureFacts } from "./failure-facts.ts";
import type { ModelFailure } from "./provider.ts";

/** Whose error it is. */
export interface FailureSource {
  /** The provider, as people call it. */
  title: string;
  /** The variable that holds the key. */
  key?: string | undefined;
  /** Replaces secrets in what the provider wrote. */
  redact?(text: string): string;
}

/** A kind of failure, how providers report it, and what it means. The first rule that matches counts. */
export interface FailureRule extends Pick<ModelFailure, "kind" | "code"> {
  statuses?: readonly number[];
  /** Types and codes that providers give. */
  names?: RegExp;
  /** Codes of the network. */
  causes?: readonly string[];
  /** Sentences of providers that give no code. */
  words?: RegExp;
  /** Only if no whole answer came over the network. */
  isNetwork?: boolean;
  retriable?: boolean;
  /** What is known says nothing to people, such as `terminated`. */
  isMute?: boolean;
  /** The predicate of the sentence; the provider is its subject. */
  says(facts: FailureFacts, source: FailureSource): string;
  /** What to do about it. */
  advice: string;
}

export const failureRules: readonly FailureRule[] = [
  {
    kind: "unreachable",
    code: "UPSTREAM_ERROR",
    isNetwork: true,
    isMute: true,
    causes: ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"],
    retriable: true,
    says: ({ host }) => `cannot be reached${host === undefined ? "" : ` at ${host}`}`,
    advice: "Check the network and the address.",
  },
  {
    kind: "cut_off",
    code: "UPSTREAM_ERROR",
    isNetwork: true,
    isMute: true,
    causes: ["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
    words: /terminated|fetch failed|socket hang up/i,
    retriable: true,
    says: () => "closed the connection before the answer was complete",
    advice: "Try again.",
  },
  {
    kind: "context",
    code: "CONTEXT_EXCEEDED",
    names: /^(context_length_exceeded|prompt_too_long|string_above_max_length)$/,
    words:
      /prompt is too long|input is too long|input token count.{0,40}exceed|context.{0,10}(length|window|limit).{0,60}(exceed|is|of)|exceed.{0,60}context|maximum context|too many (input )?tokens|reduce the length of|input length and `?max_tokens`? exceed|larger than the context/i,
    says: () => "refused the request because it does not fit into the model's context",
    advice: "Start a new run, or choose a model with a larger context.",
  },
  {
    kind: "rate_limit",
    code: "RATE_LIMITED",
    statuses: [402],
    names: /^(insufficient_quota|billing_error|billing_hard_limit_reached)$/,
    words: /credit balance is too low|insufficient (balance|credits)/i,
    says: () => "refuses requests because the account has no credit or quota left",
    advice: "Add credit, or use another provider.",
  },
  {
    kind: "rate_limit",
    code: "RATE_LIMITED",
    statuses: [429],
    names: /^(rate_limit_error|rate_limit_exceeded|RESOURCE_EXHAUSTED)$/,
    retriable: true,
    says: () => "refuses requests because of a rate limit",
    advice: "Wait and try again.",
  },
  {
    kind: "auth",
    code: "AUTH_ERROR",
    statuses: [401, 403],
    names: /^(authentication_error|permission_error|invalid_api_key|UNAUTHENTICATED|PERMISSION_DENIED)$/,
    // Gemini answers with 400.
    words: /api key not valid|api key expired/i,
    says: (_, { key }) => (key === undefined ? "refused the request" : `refused the key in ${key}`),
    advice: "Set a valid key in the environment.",
  },
  {
    kind: "invalid",
    code: "VALIDATION_ERROR",
    statuses: [404],
    names: /^(model_not_found|not_found_error|NOT_FOUND)$/,
    words: /\bmodel\b.{0,80}(not found|does not exist|not available)/i,
    says: () => "does not have this model",
    advice: "Check the model's name and the address.",
  },
  {
    kind: "overloaded",
    code: "UPSTREAM_ERROR",
    statuses: [500, 502, 503, 504, 529],
    names: /^(overloaded_error|api_error|server_error|UNAVAILABLE|INTERNAL|slow_down)$/,
    words: /overloaded/i,
    retriable: true,
    says: () => "is overloaded or failed",
    advice: "Wait and try again.",
  },
  {
    kind: "cut_off",
    code: "UPSTREAM_ERROR",
    statuses: [408, 409],
    retriable: true,
    says: () => "did not finish the answer",
    advice: "Try again.",
  },
  {
    kind: "invalid",
    code: "INTERNAL",
    statuses: [400, 413, 422],
    names: /^(invalid_request_error|INVALID_ARGUMENT|FAILED_PRECONDITION)$/,
    says: () => "refused the request as invalid",
    advice: "The model may not take one of the options or tools.",
  },
  {
    kind: "invalid",
    code: "UPSTREAM_ERROR",
    names:
      /^AI_(JSONParseError|TypeValidationError|InvalidResponseDataError|NoContentGeneratedError|EmptyResponseBodyError)$/,
    retriable: true,
    says: () => "sent an answer that cannot be read",
    advice: "Try again; if it happens again, check that the address is the provider's API.",
  },
  {
    kind: "invalid",
    code: "UPSTREAM_ERROR",
    // What Anthropic's package says if the first event of a stream cannot be read.
    words: /expected a normalized .* stream error/i,
    isMute: true,
    retriable: true,
    says: () => "sent an answer that cannot be read",
    advice: "Try again; if it happens again, check that the address is the provider's API.",
  },
];

/** An error that no rule knows. */
export const otherFailure = ({ status = 0 }: FailureFacts): FailureRule => ({
  ...{ kind: "other", code: status >= 500 ? "UPSTREAM_ERROR" : "INTERNAL", retriable: status >= 500, advice: "" },
  says: () => "failed",
});
