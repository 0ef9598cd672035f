import type { Fact, Signal } from "./signal.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

export const fail = (event: Failure): Signal => ({ kind: "fail", event });

export const interrupted: Failure = { type: "interrupted" };

export const internal = (message: string, code: Fact<"error">["code"] = "INTERNAL"): Failure => ({
  ...{ type: "error", code, message, recoverable: false },
});

/** What makes a failure of an agent's words. `login` says how to log in to it. */
export type FailureMaker = (message: string, login: string) => Failure;

export const byLogin: FailureMaker = (message, login) => ({ type: "auth_error", message, guidance: login });
export const byLimit: FailureMaker = (message) => ({ type: "rate_limit_error", message });
/** The context is full; how full is not told. */
export const bySize: FailureMaker = () => ({ type: "context_exceeded", usedTokens: 0, maxTokens: 0 });

/** A kind of failure: the codes, statuses or names that stand for it, or how they look, and the words it is told in. */
export interface FailureRule {
  codes?: readonly (number | string)[] | RegExp;
  words?: RegExp;
  make: FailureMaker;
}

/** The first rule that knows the code or the words makes the failure. */
export function failureBy(
  rules: readonly FailureRule[],
  code: number | string | undefined,
  message: string,
  login: string,
): Failure | undefined {
  const rule = rules.find(({ codes, words }) => isAmong(code, codes) || words?.test(message));
  return rule?.make(message, login);
}

function isAmong(code: number | string | undefined, codes: FailureRule["codes"]): boolean {
  if (code === undefined || codes === undefined) return false;
  return codes instanceof RegExp ? codes.test(`${code}`) : codes.includes(code);
}

/** Reads failures by these rules; what none of them knows is an error inside the agent. */
export function failuresBy(rules: readonly FailureRule[]) {
  return (code: number | string | undefined, message: string, login: string): Failure =>
    failureBy(rules, code, message, login) ?? internal(message);
}

/**
 * What an error means, by its code and its words. Agents put HTTP statuses into the code, the message or neither, so
 * the words decide where the code says nothing.
 */
export const failureOf = failuresBy([
  {
    words: /input token count|context.{0,10}(length|window)|maximum context|prompt is too long|too many tokens/i,
    make: (message) => {
      const [usedTokens = 0, maxTokens = 0] = [...message.matchAll(/\((\d+)\)/g)].map(([, digits]) => Number(digits));
      return { type: "context_exceeded", usedTokens, maxTokens };
    },
  },
  {
    codes: [429],
    words: /\b429\b|rate.?limit|quota|resource.{0,10}exhausted|too many requests/i,
    make: byLimit,
  },
  {
    codes: [-32000, 401, 403],
    words: /\b40[13]\b|api.?key|unauthori[sz]ed|authenticat|not logged in|permission_denied/i,
    make: byLogin,
  },
  { codes: [-32800], words: /^request cancelled$/i, make: () => interrupted },
  {
    codes: [-32002],
    words: /session\b.*\bnot found|no previous sessions/i,
    make: (message) => internal(message, "SESSION_NOT_FOUND"),
  },
]);

/**
 * The process is gone before it said how the prompt ended. Only a signal tells that somebody interrupted it: an exit with
 * 0 in the middle of the output means that the rest of the output was lost.
 */
export const cutOff = (code: number | null, signal: string | null, stderr: string): Failure =>
  signal === "SIGINT" ? interrupted : crashed(code, signal, stderr);

export const crashed = (code: number | null, signal: string | null, stderr: string): Failure => ({
  ...{ type: "crash", exitCode: signal === null ? (code ?? -1) : -1, stderr },
});
