import { rateLimited, retrySignal } from "../../kit/fact-signals.ts";
import {
  authFailure,
  contextFailure,
  type Failure,
  type FailureRule,
  fail,
  failureOfExit,
  internalError,
  matchFailure,
  unknownModel,
  unknownSession,
} from "../../kit/failures.ts";
import { asCount, asObject, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";

/** The agent's own error codes, HTTP statuses and messages; `exec` reports only messages. */
const rules: readonly FailureRule[] = [
  {
    codes: ["unauthorized", 401, 403],
    pattern:
      /\bstatus:? 40[13]\b|\bunauthorized\b|\bnot logged in\b|\bmissing environment variable: \W?\w*(?:KEY|TOKEN)/i,
    make: authFailure,
  },
  {
    codes: ["usageLimitExceeded", "rateLimitExceeded", "modelCap", 429],
    pattern: /\bstatus:? 429\b|\busage limit\b|\brate limit\b/i,
    make: (message) => ({ type: "rate_limit_error", message, ...omitUndefined({ retryAfterMs: waitIn(message) }) }),
  },
  {
    codes: ["contextWindowExceeded"],
    pattern: /\bcontext window\b/i,
    make: contextFailure,
  },
  unknownModel,
  unknownSession,
];

const guidance = "Run `codex login`, or set OPENAI_API_KEY (for `codex exec`: CODEX_API_KEY) to a valid key.";

/** A failure that ends the prompt. `error` is `{message, codexErrorInfo?}`. */
export function failure(error: Json | undefined, context = { usedTokens: 0, maxTokens: 0 }): Signal[] {
  const message = asText(error?.message) ?? "The turn failed.";
  const stopReason = /^Incomplete response returned, reason: (\w+)/.exec(message)?.[1];
  const event = meaning(error, message);
  return [
    ...(stopReason ? [{ kind: "callDone", stopReason } as const] : []),
    fail(event.type === "context_exceeded" ? { ...event, ...context } : event),
  ];
}

/** A failure after which the agent retries; `before` is the number of earlier retries. */
export function retry(error: Json, before: number): Signal[] {
  const text = asText(error.message) ?? "";
  const [, attempt, maxAttempts, why] = /^Reconnecting\.\.\. (?:(\d+)\/(\d+))?(?:[^(]*\((.*)\)$)?/s.exec(text) ?? [];
  const reason = asText(error.additionalDetails) ?? why ?? text;
  const isLimited = meaning(error, reason).type === "rate_limit_error";
  return [
    ...(isLimited ? [rateLimited(waitIn(reason))] : []),
    retrySignal(reason, { attempt: Number(attempt ?? before + 1), maxAttempts: Number(maxAttempts ?? 0) }),
  ];
}

export const isRetry = (message: string): boolean => message.startsWith("Reconnecting...");

export const failedExit = (code: number | null, signal: string | null, stderr: string): Signal =>
  fail(failureOfExit(code, signal, stderr));

/** The code is a string, or an object of one field that contains an HTTP status. */
function meaning(error: Json | undefined, words: string): Failure {
  const info = error?.codexErrorInfo;
  const [[name, detail] = []] = Object.entries(asObject(info) ?? {});
  const status = asCount(asObject(detail)?.httpStatusCode);
  return (
    matchFailure(rules, asText(info) ?? name, words, guidance) ??
    matchFailure(rules, status, words, guidance) ??
    internalError(words)
  );
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function waitIn(text: string): number | undefined {
  const [, amount, unit = ""] = /\btry again in (\d+(?:\.\d+)?) ?(ms|s|m|h)/i.exec(text) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * (unitMs[unit.toLowerCase()] ?? 0));
}
