import type { ToolKind } from "@spoor/protocol";
import { textOfContent } from "../../kit/content-text.ts";
import { imageOutput } from "../../kit/fact-signals.ts";
import { asArray, asCount, asNumber, asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { ToolCall } from "../../kit/tool-calls.ts";
import type { FileFact, Signal, ToolEnd } from "../../signal.ts";
import { fileFacts, patchKind } from "./codex-file-changes.ts";
import { collabEnd, collabInput, collabName } from "./codex-subagents.ts";

/** Makes the signals of an item that is a tool call. `start` may be called twice; the assembler ignores the second. */
export interface ToolItem {
  start(id: string, item: Json): Signal[];
  end(id: string, item: Json): Signal[];
}

/**
 * By type, with the names of the app server. The items do not name their tools; the names here are those that the model
 * uses.
 */
export const toolItems: Record<string, ToolItem> = {
  commandExecution: {
    start: (id, { command, cwd }) => [
      ready(id, "exec_command", "shell", commandInput({ command, cwd })),
      { kind: "shell", id, command: asText(command) ?? "", ...omitUndefined({ cwd: asText(cwd) || undefined }) },
    ],
    end: (id, item) => [commandEnd(id, item)],
  },
  fileChange: {
    start: (id, { changes }) => [ready(id, "apply_patch", patchKind(changes), { changes: asArray(changes) })],
    end: (id, item) => [end(id, item, { files: fileFacts(item.changes) }, "The patch could not be applied.")],
  },
  mcpToolCall: {
    start: (id, item) => [{ kind: "toolReady", ...mcpCall(id, item, item.arguments ?? {}) }],
    end: (id, item) => [mcpEnd(id, item)],
  },
  dynamicToolCall: {
    start: (id, item) => [ready(id, asText(item.tool) ?? "unknown", "other", item.arguments ?? {})],
    end: (id, item) => [end(id, item, { output: item.contentItems ?? null }, wordsOf(item.contentItems))],
  },
  collabAgentToolCall: {
    start: (id, item) => [ready(id, collabName(item), "subagent", collabInput(item))],
    end: (id, item) => [
      end(id, item, { output: item.agentsStates ?? null }, "The subagent call failed."),
      ...collabEnd(item),
    ],
  },
  // Only the end names the query.
  webSearch: {
    start: (id) => [{ kind: "toolStart", id, name: "web_search", toolKind: "web_search" }],
    end: (id, item) => {
      const toolKind = asText(asObject(item.action)?.type)?.startsWith("search") === false ? "web_fetch" : "web_search";
      return [ready(id, "web_search", toolKind, { query: item.query, action: item.action ?? null }), end(id, item, {})];
    },
  },
  imageView: {
    start: (id, { path }) => [ready(id, "view_image", "file_read", { path })],
    end: (id, item) => [end(id, item, { files: reads([item]) })],
  },
  imageGeneration: {
    start: (id, item) => [ready(id, "image_generation", "other", { prompt: item.revisedPrompt ?? null })],
    end: (id, item) => [
      imageOutput("image/png", { base64: item.result, filePath: item.savedPath }),
      end(id, item, { output: item.savedPath ?? null }),
    ],
  },
};

export function ready(id: string, name: string, toolKind: ToolKind, input: unknown): Signal {
  return { kind: "toolReady", id, name, toolKind, input };
}

export const commandInput = ({ command, cwd }: Json): object => ({ command, ...omitUndefined({ cwd }) });

export function mcpCall(id: string, item: Json, input: unknown): ToolCall & { toolKind: "mcp" } {
  const mcp = { server: asText(item.server) ?? "unknown", tool: asText(item.tool) ?? "unknown" };
  return { id, name: mcp.tool, toolKind: "mcp", input, mcp };
}

/** A plan of the model: a call of its to-do tool without an id or a result. */
export function plan(id: string, input: unknown): Signal[] {
  return [ready(id, "update_plan", "todo_write", input), { kind: "toolEnd", id, output: null }];
}

function end(id: string, item: Json, result: Partial<ToolEnd>, failed = "The call failed."): ToolEnd {
  const reported: ToolEnd = { kind: "toolEnd", id, ...omitUndefined({ durationMs: asCount(item.durationMs) }) };
  if (item.status === "declined") return { ...reported, error: "The call was declined.", outcome: "blocked" };
  if (item.status === "failed" || item.success === false) return { ...reported, error: failed, outcome: "failed" };
  return { ...reported, ...result };
}

function commandEnd(id: string, item: Json): ToolEnd {
  const output = asText(item.aggregatedOutput) ?? "";
  const exitCode = asNumber(item.exitCode);
  const failed = `The command ended with exit code ${exitCode ?? "unknown"}.${output && `\n${output}`}`;
  const files = reads(asObjects(item.commandActions).filter(({ type }) => type === "read"));
  return {
    ...end(id, item, { output, files }, failed),
    ...omitUndefined({ exitCode: exitCode && Math.trunc(exitCode) }),
  };
}

/** `error` comes from the transport or the user. If the tool itself failed, the result contains its error. */
function mcpEnd(id: string, item: Json): ToolEnd {
  const error = asText(asObject(item.error)?.message);
  if (error === undefined) {
    const words = wordsOf(asObject(item.result)?.content);
    const reported = end(id, item, { output: item.result ?? null }, words);
    return reported.error === undefined ? reported : { ...reported, protocol: false };
  }
  const outcome = /\brejected\b|\bdeclined\b/i.test(error) ? "blocked" : "failed";
  return { ...end(id, item, {}), error, outcome, ...(outcome === "failed" && { protocol: true }) };
}

const reads = (of: readonly Json[]): FileFact[] =>
  of.flatMap(({ path }) => (asText(path) ? [{ op: "read", path: asText(path) ?? "" } as const] : []));

const wordsOf = (content: unknown): string => textOfContent(content, "\n") || "The tool failed.";
