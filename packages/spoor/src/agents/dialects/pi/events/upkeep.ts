import { compacted, imageTaken, problem, rateLimited, retried } from "../../../facts.ts";
import { asCount, asNumber, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { isRateLimit } from "../results/failures.ts";

/** What an agent does to go on: try again, compact its context, survive its extensions. */

export function retryFacts(frame: Json): Signal[] {
  const reason = asText(frame.errorMessage) ?? "";
  return [...(isRateLimit(reason) ? [rateLimited()] : []), retried(reason, frame)];
}

/** Only a compaction nobody asked for shows that the context fills up. */
export function limitFacts(frame: Json, usedTokens: number, maxTokens: number): Signal[] {
  if (frame.reason === "manual") return [];
  const pctUsed = maxTokens > 0 ? Math.min(100, (100 * usedTokens) / maxTokens) : 0;
  return [{ kind: "fact", fact: { type: "context_limit_warning", usedTokens, maxTokens, pctUsed } }];
}

/** None for a compaction that was called off or found nothing to do. */
export function compactionFacts(frame: Json): Signal[] {
  const message = asText(frame.errorMessage);
  if (message) return [problem(message)];
  const result = asObject(frame.result);
  if (!result) return [];
  const [before, after] = [asNumber(result.tokensBefore), asNumber(result.estimatedTokensAfter)];
  const tokensSaved = before === undefined || after === undefined ? 0 : asCount(before - after);
  return [compacted(result.summary, tokensSaved)];
}

export function extensionFacts(frame: Json): Signal[] {
  const pluginId = asText(frame.extensionPath) || "extension";
  const pluginName = pluginId.split(/[/\\]/).at(-1) ?? pluginId;
  const error = `${asText(frame.event) ?? ""}: ${asText(frame.error) ?? ""}`;
  return [{ kind: "fact", fact: { type: "plugin_error", pluginId, pluginName, error } }];
}

/** Images given with a prompt. */
export const imageFacts = (message: Json): Signal[] =>
  asObjects(message.content)
    .filter(({ type }) => type === "image")
    .map(({ mimeType }) => imageTaken(asText(mimeType) || "application/octet-stream"));
