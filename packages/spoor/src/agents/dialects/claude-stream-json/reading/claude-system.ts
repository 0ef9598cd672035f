import {
  contextCompacted,
  pluginLoaded,
  rateLimited,
  recoverableError,
  retrySignal,
  skillLoaded,
} from "../../../kit/fact-signals.ts";
import { asCount, asObject, asObjects, asText, asTexts, type Json } from "../../../kit/json-values.ts";
import type { Signal } from "../../../signal.ts";

/** The plugins, skills and MCP servers that the agent reports at its start. */
export function readStartup({ plugins, skills, mcp_servers }: Json): Signal[] {
  const named = asObjects(plugins).filter(({ name }) => asText(name));
  const failed = asObjects(mcp_servers).filter(({ status }) => status === "failed");
  return [
    ...named.map(({ name, version, source }) => pluginLoaded(`${name}`, asText(version), asText(source) || undefined)),
    ...asTexts(skills).map((name) => skillLoaded(name, "")),
    ...failed.map(({ name }) =>
      recoverableError(`The MCP server ${JSON.stringify(name)} did not start.`, "PLUGIN_ERROR"),
    ),
  ];
}

export function readRetry({ error, error_status, attempt, max_retries, retry_delay_ms: delayMs }: Json): Signal[] {
  const status = asCount(error_status);
  const reason = `${asText(error) ?? "unknown"}${status === undefined ? "" : ` (${status})`}`;
  const retry = retrySignal(reason, { attempt, maxAttempts: max_retries, delayMs });
  return status === 429 ? [rateLimited(asCount(delayMs) ?? 0), retry] : [retry];
}

export function readCompaction(frame: Json): Signal[] {
  const { trigger, pre_tokens, post_tokens } = asObject(frame.compact_metadata) ?? {};
  const [before = 0, after = 0] = [asCount(pre_tokens), asCount(post_tokens)];
  return [
    contextCompacted(`${asText(trigger) ?? "unknown"} compaction: ${before} tokens became ${after}`, before - after),
  ];
}
