import { failureOf } from "../dialects/acp/failure.ts";
import { asCount, asText, type Json, parseObject } from "../json-machine.ts";
import type { Signal } from "../signal.ts";
import { rowOf } from "./table.ts";

type Failure = Extract<Signal, { kind: "fail" }>["event"];

export interface Context {
  usedTokens: number;
  maxTokens: number;
}

export const login =
  "Run `copilot login`, or set GH_TOKEN; for a model of your own set COPILOT_PROVIDER_BASE_URL and COPILOT_PROVIDER_API_KEY.";

/** What the agent's own types of errors amount to; the others are told apart by status and words. */
const byType: Readonly<Record<string, (message: string, context: Context) => Failure>> = {
  authentication: (message) => ({ type: "auth_error", message, guidance: login }),
  authorization: (message) => ({ type: "auth_error", message, guidance: login }),
  context_limit: (_, context) => ({ type: "context_exceeded", ...context }),
  quota: (message) => ({ type: "rate_limit_error", message }),
  rate_limit: (message) => ({ type: "rate_limit_error", message }),
};

/** The agent says that it could not go on. */
export function sessionFailure(data: Json, context: Context): Failure {
  const message = asText(data.message) ?? "The prompt failed.";
  const known = rowOf(byType, asText(data.errorType) ?? "");
  if (known) return known(message, context);
  if (/OAuth token|no authentication/i.test(message)) return { type: "auth_error", message, guidance: login };
  const failure = failureOf(asCount(data.statusCode), message, login);
  return failure.type === "context_exceeded" && failure.maxTokens === 0 ? { ...failure, ...context } : failure;
}

/** What stopped the agent. */
export const abortFailure = ({ reason }: Json): Failure =>
  reason === "autopilot_credit_limit" ? { type: "aborted" } : { type: "interrupted" };

/** Why a model call failed, in words. Those of the service are JSON, those of the agent a JSON text. */
export function callFailure({ errorMessage, statusCode }: Json): string {
  const text = asText(errorMessage) ?? "";
  const message = asText(parseObject(text)?.message) ?? text.replace(/^"(.*)"$/s, "$1");
  return [asCount(statusCode), message].filter((part) => part !== undefined && part !== "").join(" ");
}

/** The process is gone before it said how the prompt ended. */
export function cutOff(code: number | null, signal: string | null, stderr: string): Signal[] {
  if (signal === "SIGINT") return [{ kind: "fail", event: { type: "interrupted" } }];
  if (/no authentication information|not authenticated|authentication failed/i.test(stderr)) {
    return [{ kind: "fail", event: { type: "auth_error", message: stderr.trim(), guidance: login } }];
  }
  return [{ kind: "fail", event: { type: "crash", exitCode: code || -1, stderr } }];
}
