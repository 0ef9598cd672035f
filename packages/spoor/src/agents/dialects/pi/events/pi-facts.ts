import {
  agentdocRead,
  contextCompacted,
  imageInputAck,
  rateLimited,
  recoverableError,
  retrySignal,
  skillLoaded,
} from "../../../kit/fact-signals.ts";
import { asNumber, asObject, asObjects, asText, asTexts, type Json } from "../../../kit/json-values.ts";
import type { Signal } from "../../../signal.ts";
import { failureOf } from "../results/pi-failures.ts";

/** Only the system message shows which instructions and skills were read at the start. */
export function startupFacts(message: Json): Signal[] {
  const text = asTexts(Object.values(asObject(message.sections) ?? {})).join("\n");
  const documents = text.matchAll(/<project_instructions path="([^"]+)"/g);
  const skills = text.matchAll(/<skill>\s*<name>([^<]+)<\/name>.*?<location>([^<]*)</gs);
  return [
    ...[...documents].map(([, path = ""]) => agentdocRead(path)),
    ...[...skills].map(([, name = "", location = ""]) => skillLoaded(name, location)),
  ];
}

/** Images in a prompt. */
export const imageFacts = (message: Json): Signal[] =>
  asObjects(message.content)
    .filter(({ type }) => type === "image")
    .map(({ mimeType }) => imageInputAck(asText(mimeType) || "application/octet-stream"));

export function retryFacts(frame: Json): Signal[] {
  const reason = asText(frame.errorMessage) ?? "";
  const isLimit = failureOf(reason, "").type === "rate_limit_error";
  return [...(isLimit ? [rateLimited()] : []), retrySignal(reason, frame)];
}

/** Undefined for a compaction that was cancelled or had nothing to do. */
export function compactionFacts(frame: Json): Signal[] | undefined {
  const message = asText(frame.errorMessage);
  if (message) return [recoverableError(message)];
  const result = asObject(frame.result);
  const [before = 0, after = before] = [result?.tokensBefore, result?.estimatedTokensAfter].map(asNumber);
  return result && [contextCompacted(result.summary, before - after)];
}

export function extensionFacts(frame: Json): Signal[] {
  const pluginId = asText(frame.extensionPath) || "extension";
  const pluginName = pluginId.split(/[/\\]/).at(-1) ?? pluginId;
  const error = `${asText(frame.event) ?? ""}: ${asText(frame.error) ?? ""}`;
  return [{ kind: "fact", fact: { type: "plugin_error", pluginId, pluginName, error } }];
}
