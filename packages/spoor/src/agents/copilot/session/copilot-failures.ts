import {
  authFailure,
  contextFailure,
  type Failure,
  type FailureRule,
  fail,
  failureOf,
  failureOfExit,
  interrupted,
  matchFailure,
  rateLimitFailure,
} from "../../kit/failures.ts";
import { asCount, asText, type Json, parseObject } from "../../kit/json-values.ts";
import type { Signal } from "../../signal.ts";

export interface Context {
  usedTokens: number;
  maxTokens: number;
}

export const login =
  "Run `copilot login`, or set GH_TOKEN; for a model of your own set COPILOT_PROVIDER_BASE_URL and COPILOT_PROVIDER_API_KEY.";

/** Failures by the agent's own error types; the others follow from status and message. */
const rules: readonly FailureRule[] = [
  { codes: ["context_limit"], make: contextFailure },
  { codes: ["quota", "rate_limit"], make: rateLimitFailure },
  { codes: ["authentication", "authorization"], make: authFailure },
];

/** The failure that the agent reports for a session. */
export function sessionFailure(data: Json, context: Context): Failure {
  const message = asText(data.message) ?? "The prompt failed.";
  const known = matchFailure(rules, asText(data.errorType), message, login);
  const isLogin = !known && /OAuth token|no authentication/i.test(message);
  const failure =
    known ?? (isLogin ? authFailure(message, login) : failureOf(asCount(data.statusCode), message, login));
  return failure.type === "context_exceeded" && failure.maxTokens === 0 ? { ...failure, ...context } : failure;
}

/** What stopped the agent. */
export const abortFailure = ({ reason }: Json): Failure =>
  reason === "autopilot_credit_limit" ? { type: "aborted" } : interrupted;

/** Why a model call failed. The provider's message is a JSON object; the agent's own is a JSON string. */
export function callFailure({ errorMessage, statusCode }: Json): string {
  const text = asText(errorMessage) ?? "";
  const message = asText(parseObject(text)?.message) ?? text.replace(/^"(.*)"$/s, "$1");
  return [asCount(statusCode), message].filter((part) => part !== undefined && part !== "").join(" ");
}

/** The process exited before it reported how the prompt ended. */
export function failedExit(code: number | null, signal: string | null, stderr: string): Signal {
  const isLogin = /no authentication information|not authenticated|authentication failed/i.test(stderr);
  return fail(isLogin && signal !== "SIGINT" ? authFailure(stderr.trim(), login) : failureOfExit(code, signal, stderr));
}
