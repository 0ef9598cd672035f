import type { Fact, TerminalType } from "../../agents/signal.ts";
import { type FailureFacts, readFacts } from "./failure-facts.ts";
import { type FailureRule, type FailureSource, failureRules, otherFailure } from "./failure-rules.ts";
import type { ModelFailure } from "./provider.ts";

/** An error of a guarded model: it is already explained, and holds no key. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Explains an error that `doStream` threw, or that a stream ended with. */
export function modelFailureOf(error: unknown, source: FailureSource = { title: "The provider" }): ModelFailure {
  if (error instanceof ModelError) return error.failure;
  const facts = readFacts(error);
  const rule = failureRules.find((one) => matches(one, facts)) ?? otherFailure(facts);
  const { status, retryAfterMs } = facts;
  const message = messageOf(rule, facts, source);
  return {
    ...{ kind: rule.kind, code: rule.code, message, retriable: rule.retriable ?? false },
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && rule.retriable && { retryAfterMs }),
    ...(rule.kind === "context" && tokensIn(facts.text)),
  };
}

/** The end of a run that fails because of it, in the same events as those of external agents. */
export function endOf({ kind, code, message, tokens }: ModelFailure): Fact<TerminalType> {
  switch (kind) {
    case "auth":
      return { type: "auth_error", message, guidance: "Set a valid key in the environment and run it again." };
    case "rate_limit":
      return { type: "rate_limit_error", message };
    case "context":
      return { type: "context_exceeded", usedTokens: tokens?.used ?? 0, maxTokens: tokens?.most ?? 0 };
    default:
      return { type: "error", code, message, recoverable: false };
  }
}

function matches({ statuses, names, causes, words, isNetwork }: FailureRule, facts: FailureFacts): boolean {
  if (isNetwork !== undefined && isNetwork !== facts.isNetwork) return false;
  return (
    (facts.status !== undefined && statuses?.includes(facts.status) === true) ||
    facts.names.some((name) => names?.test(name)) ||
    facts.causes.some((cause) => causes?.includes(cause)) ||
    words?.test(facts.text) === true
  );
}

/** One sentence that says what happened, what the provider wrote, and what to do. */
function messageOf({ says, advice, isMute }: FailureRule, facts: FailureFacts, source: FailureSource): string {
  const { redact = (text) => text } = source;
  const written = isMute ? "" : redact(facts.text).replace(/\s+/g, " ").trim();
  const short = written.length > longest ? `${written.slice(0, longest)} …` : written;
  const status = facts.status === undefined ? "" : ` (HTTP ${facts.status})`;
  const happened = `${source.title} ${says(facts, source)}${status}`;
  return [short === "" ? `${happened}.` : `${happened}: ${short.replace(/[.\s]+$/, "")}.`, advice].join(" ").trim();
}

const longest = 300;

/** The figures of a request that is too long: how many tokens it has, and how many fit. */
function tokensIn(text: string): { tokens?: { used: number; most: number } } {
  const counts = [...text.matchAll(/\d[\d,]{2,}/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
  const [one, other] = counts.filter((count) => count >= 1000);
  if (one === undefined || other === undefined) return {};
  return { tokens: { used: Math.max(one, other), most: Math.min(one, other) } };
}
