import type { Fact, Signal } from "../signal.ts";
import { asCount, asText } from "./json-values.ts";
import { omitUndefined } from "./omit-undefined.ts";

/** Signals for facts that most agents report. */

/** The whole frame as a note. */
export const noteOfFrame = (frame: unknown, level?: "verbose" | "info" | "warn"): Signal => ({
  ...{ kind: "note", message: JSON.stringify(frame) },
  ...(level && { level }),
});

/** An error after which the agent continues. */
export const recoverableError = (message: string, code: Fact<"error">["code"] = "INTERNAL"): Signal => ({
  kind: "fact",
  fact: { type: "error", code, message, recoverable: true },
});

/** The context was compacted. A summary may be longer than what it replaces; then no tokens were saved. */
export const contextCompacted = (summary: unknown, tokensSaved = 0): Signal => ({
  kind: "fact",
  fact: { type: "context_compacted", summary: asText(summary) ?? "", tokensSaved: Math.max(0, tokensSaved) },
});

/** The agent uses a skill. */
export const skillInvoked = (skillName: string): Signal => ({
  kind: "fact",
  fact: { type: "skill_invoked", skillName },
});

/** The agent loaded a skill at its start. */
export const skillLoaded = (skillName: string, source: string): Signal => ({
  kind: "startup",
  fact: { type: "skill_loaded", skillName, source },
});

/** The agent loaded a plugin at its start. */
export const pluginLoaded = (pluginName: string, version = "", pluginId = pluginName): Signal => ({
  kind: "startup",
  fact: { type: "plugin_loaded", pluginId, pluginName, version },
});

/** The agent made an image. */
export const imageOutput = (mimeType: string, made: { base64?: unknown; filePath?: unknown }): Signal => {
  const [base64, filePath] = [asText(made.base64) || undefined, asText(made.filePath) || undefined];
  return { kind: "fact", fact: { type: "image_output", mimeType, ...omitUndefined({ base64, filePath }) } };
};

/** The agent read a file of instructions at its start. */
export const agentdocRead = (path: string): Signal => ({ kind: "startup", fact: { type: "agentdoc_read", path } });

/** The context is nearly full. Without token counts, `reportedPct` is the percentage that the agent reports. */
export function contextLimitWarning(usedTokens: number, maxTokens: number, reportedPct = 0): Signal {
  const pctUsed = maxTokens > 0 ? (100 * usedTokens) / maxTokens : reportedPct;
  return { kind: "fact", fact: { type: "context_limit_warning", usedTokens, maxTokens, pctUsed } };
}

/** The agent received an image with the prompt. */
export const imageInputAck = (mimeType: string): Signal => ({
  kind: "fact",
  fact: { type: "image_input_ack", mimeType },
});

/** The agent waits because of a rate limit. */
export const rateLimited = (retryAfterMs?: number): Signal => ({
  kind: "fact",
  fact: { type: "rate_limited", ...omitUndefined({ retryAfterMs }) },
});

/** The agent retries. A missing or invalid number is 0; attempts count from 1. */
export function retrySignal(
  reason: string,
  reported: { attempt?: unknown; maxAttempts?: unknown; delayMs?: unknown },
): Signal {
  const [attempt = 1, maxAttempts = 0, delayMs = 0] = [reported.attempt, reported.maxAttempts, reported.delayMs].map(
    asCount,
  );
  return { kind: "fact", fact: { type: "retry", attempt: Math.max(1, attempt), maxAttempts, reason, delayMs } };
}
