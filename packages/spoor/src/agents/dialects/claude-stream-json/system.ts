import { asArray, asCount, asObject, asObjects, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";

/** What the agent tells about its surroundings when it starts. */
export function readStartup(init: Json): Signal[] {
  const plugins = asObjects(init.plugins).flatMap((plugin): Signal[] => {
    const pluginName = asText(plugin.name);
    if (!pluginName) return [];
    const pluginId = asText(plugin.source) || pluginName;
    const version = asText(plugin.version) ?? "";
    return [{ kind: "startup", fact: { type: "plugin_loaded", pluginId, pluginName, version } }];
  });
  const skills = asArray(init.skills).flatMap((skillName): Signal[] =>
    typeof skillName === "string" && skillName !== ""
      ? [{ kind: "startup", fact: { type: "skill_loaded", skillName, source: "" } }]
      : [],
  );
  const servers = asObjects(init.mcp_servers).flatMap(({ name, status }): Signal[] => {
    if (status !== "failed") return [];
    const message = `The MCP server ${JSON.stringify(name)} did not start.`;
    return [{ kind: "fact", fact: { type: "error", code: "PLUGIN_ERROR", message, recoverable: true } }];
  });
  return [...plugins, ...skills, ...servers];
}

export function readRetry(frame: Json): Signal[] {
  const delayMs = asCount(frame.retry_delay_ms) ?? 0;
  const status = asCount(frame.error_status);
  const reason = `${asText(frame.error) ?? "unknown"}${status === undefined ? "" : ` (${status})`}`;
  const attempt = Math.max(1, asCount(frame.attempt) ?? 1);
  const maxAttempts = asCount(frame.max_retries) ?? 0;
  return [
    ...(status === 429 ? [{ kind: "fact", fact: { type: "rate_limited", retryAfterMs: delayMs } } as const] : []),
    { kind: "fact", fact: { type: "retry", attempt, maxAttempts, reason, delayMs } },
  ];
}

export function readCompaction(frame: Json): Signal[] {
  const { trigger, pre_tokens, post_tokens } = asObject(frame.compact_metadata) ?? {};
  const [before, after] = [asCount(pre_tokens) ?? 0, asCount(post_tokens) ?? 0];
  const summary = `${asText(trigger) ?? "unknown"} compaction: ${before} tokens became ${after}`;
  const tokensSaved = Math.max(0, before - after);
  return [{ kind: "fact", fact: { type: "context_compacted", summary, tokensSaved } }];
}
