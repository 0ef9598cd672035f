import { asObject, asText } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { type Tool, toolByName, toolKindsByName } from "../../kit/tool-calls.ts";

/** OpenCode's own tools. Any other name with an underscore is that of an MCP tool. */
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

/** Nothing marks MCP tools, so the server's name is assumed to end at the first underscore. */
export const mcpName = /^(?!(?:apply_patch|plan_enter|plan_exit)$)(?<server>[A-Za-z0-9-]+)_(?<tool>[\w-]+)$/;

/**
 * A call of a tool that is unknown, or removed by a rule, is reported as a call of `invalid` with the tool's name in
 * its input.
 */
export function toolOf(called: string, input: unknown): Tool {
  const meant = called === "invalid" ? asText(asObject(input)?.tool) : undefined;
  return meant ? toolByName(meant, toolKinds) : toolByName(called, toolKinds, mcpName);
}

/** The risk of a permission; medium if it is not listed. */
const risks: Readonly<Record<string, "low" | "high">> = {
  ...{ bash: "high", external_directory: "high" },
  ...{ glob: "low", grep: "low", list: "low", read: "low", skill: "low", todowrite: "low" },
};

export const riskOf = (permission: string): "low" | "medium" | "high" => lookUp(risks, permission) ?? "medium";
