import type { Fact, Signal } from "../signal.ts";

/** The event of a failure or an interruption. */
export type Failure = Extract<Signal, { kind: "fail" }>["event"];

/**
 * Reports a failure.
 *
 * @example
 * const signal = fail(internalError("The agent stopped without an answer.")); // { kind: "fail", event: … }
 */
export const fail = (event: Failure): Signal => ({ kind: "fail", event });

/**
 * Somebody interrupted the agent.
 *
 * @example
 * const signal = fail(interrupted); // The run ends as interrupted.
 */
export const interrupted: Failure = { type: "interrupted" };

/**
 * An error that ends the prompt and has no event type of its own.
 *
 * @example
 * const failure = internalError("No such session.", "SESSION_NOT_FOUND");
 */
export const internalError = (message: string, code: Fact<"error">["code"] = "INTERNAL"): Failure => ({
  ...{ type: "error", code, message, recoverable: false },
});

/** Makes a failure from an agent's message. `login` tells the user how to log in. */
export type FailureMaker = (message: string, login: string) => Failure;

/**
 * The agent, or its model provider, requires a login.
 *
 * @example
 * const failure = authFailure("Not logged in.", "Run `toy login`."); // { type: "auth_error", … }
 */
export const authFailure: FailureMaker = (message, login) => ({ type: "auth_error", message, guidance: login });
/**
 * The model provider's rate limit or quota ended the prompt.
 *
 * @example
 * const failure = createFailureReader([{ codes: [429], make: rateLimitFailure }])(429, "Slow down.", "");
 */
export const rateLimitFailure: FailureMaker = (message) => ({ type: "rate_limit_error", message });
/**
 * The context is full; the agent does not report how many tokens it holds.
 *
 * @example
 * const failure = createFailureReader([{ pattern: /too long/, make: contextFailure }])(undefined, "The prompt is too long.", "");
 */
export const contextFailure: FailureMaker = () => ({ type: "context_exceeded", usedTokens: 0, maxTokens: 0 });

/** Neither the agent nor its model provider has the requested model. */
export const unknownModelFailure: FailureMaker = (message) =>
  internalError(`${message}\nChoose another model.`, "VALIDATION_ERROR");
/** The session to continue does not exist. */
export const unknownSessionFailure: FailureMaker = (message) => internalError(message, "SESSION_NOT_FOUND");

/** A kind of failure: its codes, HTTP statuses or names, and a pattern for its messages. */
export interface FailureRule {
  codes?: readonly (number | string)[] | RegExp;
  pattern?: RegExp;
  make: FailureMaker;
}

/**
 * How agents and model providers report an unknown model.
 *
 * @example
 * const read = createFailureReader([unknownModel]);
 * read(undefined, "Model \"large\" not found", ""); // An error with the code VALIDATION_ERROR.
 */
export const unknownModel: FailureRule = {
  pattern: new RegExp(
    [
      // `Model "x" not found`, `The model x does not exist`, `models/x is not found for API version v1`
      /\bmodel(?:s\/|[\s:]+)["'`(]?[\w.:/@+-]+["'`)]?,? (?:is |was )?(?:not (?:found|available|supported|recogni[sz]ed)|does(?: not|n't) exist)/,
      /["'`][\w.:/@+-]+["'`] model (?:is )?not (?:found|available|supported)/,
      /\bmodel[_ ]not[_ ]found|\b(?:unknown|invalid|no such) model\b/,
      // Anthropic's API, Claude Code and Copilot use their own wording.
      /"not_found_error",\s*"message":\s*"model: |\bissue with the selected model\b|\bcheck the base URL and model name\b/,
    ]
      .map(({ source }) => source)
      .join("|"),
    "i",
  ),
  make: unknownModelFailure,
};

/**
 * How agents report an unknown session.
 *
 * @example
 * const read = createFailureReader([unknownSession]);
 * read(undefined, "No conversation found", ""); // An error with the code SESSION_NOT_FOUND.
 */
export const unknownSession: FailureRule = {
  pattern:
    /\b(?:session|thread|rollout)\b.*\bnot found\b|\bno (?:saved |previous )?(?:sessions?|conversation|rollout) found\b|\binvalid session (?:id|identifier)\b/i,
  make: unknownSessionFailure,
};

/** The first rule that matches the code or the message makes the failure. */
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

/**
 * Returns a function that reads failures by these rules; a failure that matches none is an internal error of the agent.
 *
 * @example
 * const read = createFailureReader([{ codes: ["E_LOGIN"], make: authFailure }, unknownModel]);
 * read("E_LOGIN", "Please log in.", "Run `toy login`."); // { type: "auth_error", … }
 */
export function createFailureReader(rules: readonly FailureRule[]) {
  return (code: number | string | undefined, message: string, login: string): Failure =>
    matchFailure(rules, code, message, login) ?? internalError(message);
}

/**
 * The failure for an error, by its code and its message. Agents put HTTP statuses into the code, the message or
 * neither, so the message decides if the code says nothing.
 *
 * @example
 * failureOf(429, "Slow down.", "Run `toy login`."); // { type: "rate_limit_error", message: "Slow down." }
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
 * The process exited before it reported how the prompt ended. Only SIGINT means that somebody interrupted it. An exit
 * with 0 in the middle of the output means that the rest of the output was lost.
 *
 * @example
 * failureOfExit(null, "SIGINT", ""); // { type: "interrupted" }
 * failureOfExit(1, null, "out of memory"); // { type: "crash", exitCode: 1, stderr: "out of memory" }
 */
export const failureOfExit = (code: number | null, signal: string | null, stderr: string): Failure =>
  signal === "SIGINT" ? interrupted : crashFailure(code, signal, stderr);

/**
 * The process exited before it wrote anything in its dialect. Its standard error may contain the reason.
 *
 * @example
 * startFailure(1, null, "401 Unauthorized", "Run `toy login`."); // { type: "auth_error", … }
 */
export function startFailure(code: number | null, signal: string | null, stderr: string, login: string): Failure {
  const reported = failureOf(undefined, stderr.trim(), login);
  const isKnown = signal === null && !(reported.type === "error" && reported.code === "INTERNAL");
  return isKnown ? reported : failureOfExit(code, signal, stderr);
}

/**
 * The process crashed. The exit code is -1 if a signal ended it.
 *
 * @example
 * crashFailure(null, "SIGKILL", ""); // { type: "crash", exitCode: -1, stderr: "" }
 */
export const crashFailure = (code: number | null, signal: string | null, stderr: string): Failure => ({
  ...{ type: "crash", exitCode: signal === null ? (code ?? -1) : -1, stderr },
});
