import type { Signal } from "../../signal.ts";

type Failure = Extract<Signal, { kind: "fail" }>["event"];

/**
 * What an error means, by its code and its words. Agents put HTTP statuses into the code, the message or neither, so
 * the words decide where the code says nothing.
 */
export function failureOf(code: number | undefined, message: string, login: string): Failure {
  for (const { codes, words, make } of failures) {
    if ((code !== undefined && codes.includes(code)) || words.test(message)) return make(message, login);
  }
  return { type: "error", code: "INTERNAL", message, recoverable: false };
}

const failures: { codes: number[]; words: RegExp; make(message: string, login: string): Failure }[] = [
  {
    codes: [],
    words: /input token count|context.{0,10}(length|window)|prompt is too long|too many tokens/i,
    make: (message) => {
      const [usedTokens = 0, maxTokens = 0] = [...message.matchAll(/\((\d+)\)/g)].map(([, digits]) => Number(digits));
      return { type: "context_exceeded", usedTokens, maxTokens };
    },
  },
  {
    codes: [-32000, 401, 403],
    words: /\b40[13]\b|api[ _]key|unauthori[sz]ed|authenticat|not logged in|permission_denied/i,
    make: (message, login) => ({ type: "auth_error", message, guidance: login }),
  },
  {
    codes: [429],
    words: /\b429\b|rate.?limit|quota|resource.{0,10}exhausted|too many requests/i,
    make: (message) => ({ type: "rate_limit_error", message }),
  },
  { codes: [-32800], words: /^request cancelled$/i, make: () => ({ type: "interrupted" }) },
  {
    codes: [-32002],
    words: /session\b.*\bnot found|no previous sessions/i,
    make: (message) => ({ type: "error", code: "SESSION_NOT_FOUND", message, recoverable: false }),
  },
];
