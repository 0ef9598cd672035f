import type { Fact, Signal } from "../signal.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

export const fail = (event: Failure): Signal => ({ kind: "fail", event });

export const interrupted: Failure = { type: "interrupted" };

export const internalError = (message: string, code: Fact<"error">["code"] = "INTERNAL"): Failure => ({
  ...{ type: "error", code, message, recoverable: false },
});

/** What makes a failure of an agent's words. `login` says how to log in to it. */
export type FailureMaker = (message: string, login: string) => Failure;

export const authFailure: FailureMaker = (message, login) => ({ type: "auth_error", message, guidance: login });
export const rateLimitFailure: FailureMaker = (message) => ({ type: "rate_limit_error", message });
/** The context is full; how full is not told. */
export const contextFailure: FailureMaker = () => ({ type: "context_exceeded", usedTokens: 0, maxTokens: 0 });

/** The model that was asked for is none that the agent, or the service behind it, has. */
export const unknownModelFailure: FailureMaker = (message) =>
  internalError(`${message}\nAsk for another model.`, "VALIDATION_ERROR");
/** There is no such session to go on with. */
export const unknownSessionFailure: FailureMaker = (message) => internalError(message, "SESSION_NOT_FOUND");

/** A kind of failure: the codes, statuses or names that stand for it, or how they look, and the words it is told in. */
export interface FailureRule {
  codes?: readonly (number | string)[] | RegExp;
  pattern?: RegExp;
  make: FailureMaker;
}

/** How agents and services say that there is no such model. */
export const unknownModel: FailureRule = {
  pattern: new RegExp(
    [
      // `Model "x" not found`, `The model x does not exist`, `models/x is not found for API version v1`
      /\bmodel(?:s\/|[\s:]+)["'`(]?[\w.:/@+-]+["'`)]?,? (?:is |was )?(?:not (?:found|available|supported|recogni[sz]ed)|does(?: not|n't) exist)/,
      /["'`][\w.:/@+-]+["'`] model (?:is )?not (?:found|available|supported)/,
      /\bmodel[_ ]not[_ ]found|\b(?:unknown|invalid|no such) model\b/,
      // Anthropic's service, Claude Code and Copilot, each in its own words.
      /"not_found_error",\s*"message":\s*"model: |\bissue with the selected model\b|\bcheck the base URL and model name\b/,
    ]
      .map(({ source }) => source)
      .join("|"),
    "i",
  ),
  make: unknownModelFailure,
};

/** How agents say that there is no such session. */
export const unknownSession: FailureRule = {
  pattern:
    /\b(?:session|thread|rollout)\b.*\bnot found\b|\bno (?:saved |previous )?(?:sessions?|conversation|rollout) found\b|\binvalid session (?:id|identifier)\b/i,
  make: unknownSessionFailure,
};

/** The first rule that knows the code or the words makes the failure. */
export function matchFailure(
  rules: readonly FailureRule[],
  code: number | string | undefined,
  message: string,
  login: string,
): Failure | undefined {
  const rule = rules.find(({ codes, pattern: words }) => isAmong(code, codes) || words?.test(message));
  return rule?.make(message, login);
}

function isAmong(code: number | string | undefined, codes: FailureRule["codes"]): boolean {
  if (code === undefined || codes === undefined) return false;
  return codes instanceof RegExp ? codes.test(`${code}`) : codes.includes(code);
}

/** Reads failures by these rules; what none of them knows is an error inside the agent. */
export function createFailureReader(rules: readonly FailureRule[]) {
  return (code: number | string | undefined, message: string, login: string): Failure =>
    matchFailure(rules, code, message, login) ?? internalError(message);
}

/**
 * What an error means, by its code and its words. Agents put HTTP statuses into the code, the message or neither, so
 * the words decide where the code says nothing.
 */
export const failureOf = createFailureReader([
  unknownModel,
  {
    pattern:
      /input token count|context.{0,10}(length|window|overflow)|exceeds model limits|maximum context|prompt is too long|too many tokens/i,
    make: (message) => {
      const [usedTokens = 0, maxTokens = 0] = [...message.matchAll(/\((\d+)\)/g)].map(([, digits]) => Number(digits));
      return { type: "context_exceeded", usedTokens, maxTokens };
    },
  },
  {
    codes: [429],
    pattern: /\b429\b|rate.?limit|quota|resource.{0,10}exhausted|too many requests/i,
    make: rateLimitFailure,
  },
  {
    codes: [-32000, 401, 403],
    pattern: /\b40[13]\b|api.?key|unauthori[sz]ed|authenticat|not logged in|permission_denied/i,
    make: authFailure,
  },
  { codes: [-32800], pattern: /^request cancelled$/i, make: () => interrupted },
  { ...unknownSession, codes: [-32002] },
]);

/**
 * The process is gone before it said how the prompt ended. Only a signal tells that somebody interrupted it: an exit with
 * 0 in the middle of the output means that the rest of the output was lost.
 */
export const failureOfExit = (code: number | null, signal: string | null, stderr: string): Failure =>
  signal === "SIGINT" ? interrupted : crashFailure(code, signal, stderr);

/** The process is gone before it said anything where we listen: what it wrote to standard error may tell why. */
export function startFailure(code: number | null, signal: string | null, stderr: string, login: string): Failure {
  const told = failureOf(undefined, stderr.trim(), login);
  const isKnown = signal === null && !(told.type === "error" && told.code === "INTERNAL");
  return isKnown ? told : failureOfExit(code, signal, stderr);
}

export const crashFailure = (code: number | null, signal: string | null, stderr: string): Failure => ({
  ...{ type: "crash", exitCode: signal === null ? (code ?? -1) : -1, stderr },
});
