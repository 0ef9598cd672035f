import type { ToolKind } from "@spoor/protocol";
import { asObject, asText, type Json } from "../kit/json-values.ts";
import { lookUp } from "../kit/look-up.ts";
import type { Tool as NamedTool } from "../kit/tool-calls.ts";

export interface Tool extends NamedTool {
  input: Json;
}

/**
 * The call and its result in a `tool_call` frame. One field of the frame ends with `ToolCall`, and its name is that of
 * the tool.
 */
export function toolOf(call: Json): { tool: Tool; result: Json | undefined } {
  const key = Object.keys(call).find((name) => name.endsWith("ToolCall")) ?? "";
  const { args, result } = asObject(call[key]) ?? {};
  const name = key.slice(0, -"ToolCall".length) || "unknown";
  const input = asObject(args) ?? {};
  return { tool: mcpTool(name, input) ?? { name, toolKind: kindOf(name), input }, result: asObject(result) };
}

function mcpTool(name: string, input: Json): Tool | undefined {
  const [server, tool] = [asText(input.providerIdentifier), asText(input.toolName)];
  if (name !== "mcp" || !server || !tool) return undefined;
  return {
    name: asText(input.name) || tool,
    toolKind: "mcp",
    mcp: { server, tool },
    input: asObject(input.args) ?? {},
  };
}

const kindOf = (name: string): ToolKind => lookUp(kinds, name) ?? "other";

const kinds: Readonly<Record<string, ToolKind>> = {
  delete: "edit",
  edit: "edit",
  fetch: "web_fetch",
  glob: "glob",
  grep: "grep",
  ls: "glob",
  mcp: "mcp",
  read: "file_read",
  readTodos: "todo_write",
  semSearch: "grep",
  shell: "shell",
  task: "subagent",
  updateTodos: "todo_write",
  webFetch: "web_fetch",
  webSearch: "web_search",
  write: "file_write",
};
