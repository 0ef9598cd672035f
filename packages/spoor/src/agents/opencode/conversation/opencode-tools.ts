import { asObject, asText } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { type Tool, toolByName, toolKindsByName } from "../../kit/tool-calls.ts";

/** OpenCode's own tools. A name that is not here and has an underscore is of an MCP server. */
export const toolKinds = toolKindsByName({
  edit: ["edit"],
  file_read: ["read"],
  file_write: ["write"],
  glob: ["glob", "list"],
  grep: ["grep"],
  multi_edit: ["apply_patch", "multiedit", "patch"],
  shell: ["bash"],
  subagent: ["task"],
  todo_write: ["todowrite"],
  web_fetch: ["webfetch"],
  web_search: ["codesearch", "websearch"],
  other: ["invalid", "lsp", "plan_enter", "plan_exit", "question", "skill", "todoread"],
});

/** Nothing says which tools are of MCP servers: the first underscore is taken to end the server's name. */
export const mcpName = /^(?!(?:apply_patch|plan_enter|plan_exit)$)(?<server>[A-Za-z0-9-]+)_(?<tool>[\w-]+)$/;

/** A call of a tool there is not, or that a rule takes away, is made one of `invalid`, with its name in the input. */
export function toolOf(called: string, input: unknown): Tool {
  const meant = called === "invalid" ? asText(asObject(input)?.tool) : undefined;
  return meant ? toolByName(meant, toolKinds) : toolByName(called, toolKinds, mcpName);
}

/** How much harm is in what permission is asked for; the rest is of the middle kind. */
const risks: Readonly<Record<string, "low" | "high">> = {
  ...{ bash: "high", external_directory: "high" },
  ...{ glob: "low", grep: "low", list: "low", read: "low", skill: "low", todowrite: "low" },
};

export const riskOf = (permission: string): "low" | "medium" | "high" => lookUp(risks, permission) ?? "medium";
