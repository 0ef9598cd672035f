import { asCount, asObject, asText, type Json } from "../json-machine.ts";
import type { Fact, Signal } from "../signal.ts";

type Kind = "auth_error" | "rate_limit_error" | "context_exceeded";

/** What the agent's own codes of errors amount to. Those not listed are plain errors. */
const kindOfCode: Record<string, Kind> = {
  unauthorized: "auth_error",
  usageLimitExceeded: "rate_limit_error",
  rateLimitExceeded: "rate_limit_error",
  modelCap: "rate_limit_error",
  contextWindowExceeded: "context_exceeded",
};

const kindOfStatus: Record<number, Kind> = { 401: "auth_error", 403: "auth_error", 429: "rate_limit_error" };

/** `exec` gives the words only. */
const kindOfWords: [RegExp, Kind][] = [
  [/\bstatus:? 40[13]\b|\bunauthorized\b|\bnot logged in\b/i, "auth_error"],
  [/\bstatus:? 429\b|\busage limit\b|\brate limit\b/i, "rate_limit_error"],
  [/\bcontext window\b/i, "context_exceeded"],
];

const guidance = "Run `codex login`, or set OPENAI_API_KEY (for `codex exec`: CODEX_API_KEY) to a valid key.";

export interface Context {
  usedTokens: number;
  maxTokens: number;
}

/** A failure that ends the prompt: `error` is `{message, codexErrorInfo?}`. */
export function failure(error: Json | undefined, context: Context = { usedTokens: 0, maxTokens: 0 }): Signal[] {
  const message = asText(error?.message) ?? "The turn failed.";
  const cut = /^Incomplete response returned, reason: (\w+)/.exec(message);
  const ended: Signal[] = cut?.[1] ? [{ kind: "callDone", stopReason: cut[1] }] : [];
  return [...ended, { kind: "fail", event: event(message, kindOf(error, message), context) }];
}

/** A failure after which the agent tries again, `before` being how often it did so already. */
export function retry(error: Json, before: number): Signal[] {
  const text = asText(error.message) ?? "";
  const counted = /^Reconnecting\.\.\. (?:(\d+)\/(\d+))?(?:[^(]*\((.*)\)$)?/s.exec(text);
  const reason = asText(error.additionalDetails) ?? counted?.[3] ?? text;
  const limited: Signal[] =
    kindOf(error, reason) === "rate_limit_error"
      ? [{ kind: "fact", fact: { type: "rate_limited", ...retryAfter(reason) } }]
      : [];
  const attempt = Math.max(1, Number(counted?.[1] ?? before + 1));
  const fact: Fact<"retry"> = { type: "retry", attempt, maxAttempts: Number(counted?.[2] ?? 0), reason, delayMs: 0 };
  return [...limited, { kind: "fact", fact }];
}

export const isRetry = (message: string): boolean => message.startsWith("Reconnecting...");

/** The process is gone before it said how the prompt ended. */
export function cutOff(code: number | null, signal: string | null, stderr: string): Signal[] {
  if (signal === "SIGINT") return [{ kind: "fail", event: { type: "interrupted" } }];
  return [{ kind: "fail", event: { type: "crash", exitCode: code === null || code === 0 ? -1 : code, stderr } }];
}

function event(message: string, kind: Kind | undefined, context: Context): Extract<Signal, { kind: "fail" }>["event"] {
  if (kind === "auth_error") return { type: kind, message, guidance };
  if (kind === "rate_limit_error") return { type: kind, message, ...retryAfter(message) };
  if (kind === "context_exceeded") return { type: kind, ...context };
  const code = /\b(?:thread|rollout|session)\b.*\bnot found\b|\bno rollout found\b/i.test(message)
    ? "SESSION_NOT_FOUND"
    : "INTERNAL";
  return { type: "error", code, message, recoverable: false };
}

/** The code is a word, or an object of one field with an HTTP status in it. */
function kindOf(error: Json | undefined, words: string): Kind | undefined {
  const info = error?.codexErrorInfo;
  const [[code, detail] = []] = Object.entries(asObject(info) ?? {});
  const status = asCount(asObject(detail)?.httpStatusCode);
  return (
    kindOfCode[asText(info) ?? code ?? ""] ??
    (status === undefined ? undefined : kindOfStatus[status]) ??
    kindOfWords.find(([pattern]) => pattern.test(words))?.[1]
  );
}

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function retryAfter(text: string): { retryAfterMs?: number } {
  const wait = /\btry again in (\d+(?:\.\d+)?) ?(ms|s|m|h)/i.exec(text);
  return wait ? { retryAfterMs: Math.round(Number(wait[1]) * (unitMs[wait[2]?.toLowerCase() ?? ""] ?? 0)) } : {};
}
