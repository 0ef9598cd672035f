import { asArray, asObject, asText } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

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

/** Agents do not agree on the code for a session they do not have. What is plainly something else stays that. */
export const sessionLost = (event: Failure, code: number | undefined): Failure =>
  event.type === "error" ? { ...event, code: code === -32601 ? "CAPABILITY_ERROR" : "SESSION_NOT_FOUND" } : event;

export const nameless: Failure = {
  type: "error",
  code: "INTERNAL",
  message: "The agent opened a session without an id.",
  recoverable: false,
};

export const unknownVersion = (version: unknown): Failure => ({
  type: "error",
  code: "CAPABILITY_ERROR",
  message: `The agent speaks version ${JSON.stringify(version)} of ACP; only version 1 is known here.`,
  recoverable: false,
});

/** What ends a prompt other than the model's own end. */
const stops: Readonly<Record<string, Failure>> = {
  cancelled: { type: "interrupted" },
  max_turn_requests: { type: "turn_limit", maxTurns: 0 },
  refusal: { type: "error", code: "INTERNAL", message: "The model refused to answer.", recoverable: false },
};

export const stopFailure = (reason: string): Failure | undefined =>
  Object.hasOwn(stops, reason) ? stops[reason] : undefined;

/** How to log in, as the agent offers it. */
export function loginBy(methods: unknown): string | undefined {
  const names = asArray(methods).flatMap((method) => asText(asObject(method)?.name) ?? []);
  return names.length > 0 ? `Log in to the agent first. It offers: ${names.join(", ")}.` : undefined;
}
