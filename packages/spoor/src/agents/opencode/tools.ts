import type { ToolKind } from "@spoor/protocol";
import { asObject, asText } from "../json-machine.ts";
import type { McpTool } from "../signal.ts";

/** OpenCode's own tools. A name that is not here and has an underscore is of an MCP server. */
export const toolKinds: Readonly<Record<string, ToolKind>> = {
  apply_patch: "multi_edit",
  bash: "shell",
  codesearch: "web_search",
  edit: "edit",
  glob: "glob",
  grep: "grep",
  invalid: "other",
  list: "glob",
  lsp: "other",
  multiedit: "multi_edit",
  patch: "multi_edit",
  plan_enter: "other",
  plan_exit: "other",
  question: "other",
  read: "file_read",
  skill: "other",
  task: "subagent",
  todoread: "other",
  todowrite: "todo_write",
  webfetch: "web_fetch",
  websearch: "web_search",
  write: "file_write",
};

/** Nothing says which tools are of MCP servers: the first underscore is taken to end the server's name. */
export const mcpName = /^(?!(?:apply_patch|plan_enter|plan_exit)$)(?<server>[A-Za-z0-9-]+)_(?<tool>[\w-]+)$/;

export interface Tool {
  name: string;
  toolKind: ToolKind;
  mcp?: McpTool;
}

/** A call of a tool there is not, or that a rule takes away, is made one of `invalid`, with its name in the input. */
export function toolOf(called: string, input: unknown): Tool {
  const meant = called === "invalid" ? asText(asObject(input)?.tool) : undefined;
  const name = meant || called;
  if (meant) return { name, toolKind: kindOf(name) ?? "other" };
  const { server, tool } = mcpName.exec(name)?.groups ?? {};
  if (server && tool) return { name, toolKind: "mcp", mcp: { server, tool } };
  return { name, toolKind: kindOf(name) ?? "other" };
}

export const kindOf = (name: string): ToolKind | undefined =>
  Object.hasOwn(toolKinds, name) ? toolKinds[name] : undefined;

/** How much harm is in what permission is asked for; the rest is of the middle kind. */
const risks: Readonly<Record<string, "low" | "high">> = {
  bash: "high",
  external_directory: "high",
  glob: "low",
  grep: "low",
  list: "low",
  read: "low",
  skill: "low",
  todowrite: "low",
};

export const riskOf = (permission: string): "low" | "medium" | "high" =>
  (Object.hasOwn(risks, permission) && risks[permission]) || "medium";
