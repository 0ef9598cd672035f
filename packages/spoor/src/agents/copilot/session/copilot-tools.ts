import type { ToolKind } from "@spoor/protocol";
import { createdFile } from "../../kit/file-facts.ts";
import { asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { type ToolCall, toolKindsByName } from "../../kit/tool-calls.ts";
import type { FileFact } from "../../signal.ts";

const kinds = toolKindsByName({
  edit: ["edit", "str_replace_editor"],
  file_read: ["view"],
  file_write: ["create"],
  glob: ["glob"],
  grep: ["grep", "rg"],
  multi_edit: ["apply_patch"],
  shell: [
    ...["bash", "list_bash", "read_bash", "stop_bash", "write_bash"],
    ...["powershell", "list_powershell", "read_powershell", "stop_powershell", "write_powershell"],
  ],
  subagent: ["task"],
  // The model keeps its plan in a table.
  todo_write: ["sql", "update_todo"],
  web_fetch: ["web_fetch", "fetch_copilot_cli_documentation"],
  web_search: ["web_search"],
  other: [
    ...["ask_user", "exit_plan_mode", "list_agents", "lsp", "read_agent", "report_intent", "skill"],
    ...["store_memory", "task_complete", "write_agent"],
  ],
});

/** Whether it is one of the agent's own tools. The name of an MCP tool does not contain its server. */
export const isOwn = (name: string): boolean => Object.hasOwn(kinds, name);

/** The tool of a request (`name`) or of an event about it (`toolName`). */
export function callOf(data: Json): ToolCall | undefined {
  const id = asText(data.toolCallId);
  const name = asText(data.name) ?? asText(data.toolName);
  if (id === undefined || name === undefined) return undefined;
  const input = data.arguments ?? {};
  const server = asText(data.mcpServerName);
  if (server === undefined) return { id, name, toolKind: kindOf(name, input), input };
  return { id, name, toolKind: "mcp", input, mcp: { server, tool: asText(data.mcpToolName) ?? name } };
}

export function kindOf(name: string, input?: unknown): ToolKind {
  const query = name === "sql" ? asText(asObject(input)?.query) : undefined;
  if (query !== undefined && !/\btodos?\b/i.test(query)) return "other";
  return lookUp(kinds, name) ?? "other";
}

/** The command that a call runs. */
export const commandOf = ({ name, input }: ToolCall): string | undefined =>
  name === "bash" || name === "powershell" ? asText(asObject(input)?.command) : undefined;

/** What a successful call did to files. */
export function filesOf({ name, input }: ToolCall, data: Json): FileFact[] {
  const { path: reported, file_text: text } = asObject(input) ?? {};
  const named = asText(reported);
  const isFolder = asObject(asObject(data.toolTelemetry)?.properties)?.viewType === "directory";
  if (name === "view") return named === undefined || isFolder ? [] : [{ op: "read", path: named }];
  const diffs = diffsOf(asText(asObject(data.result)?.detailedContent) ?? "");
  return asObjects(data.fileEdits).flatMap(({ path: edited, kind }): FileFact[] => {
    const path = asText(edited);
    if (path === undefined) return [];
    if (kind === "delete") return [{ op: "delete", path }];
    const diff = diffs.find((each) => each.includes(`/${path.replace(/^\/+/, "")}\n`)) ?? "";
    if (kind !== "create") return [{ op: "patch", path, diff }];
    return [createdFile(path, (path === named ? asText(text) : undefined) ?? addedBy(diff))];
  });
}

/** The diffs of one text by file, without Git's headers. */
const diffsOf = (text: string): string[] =>
  text
    .split(/^diff --git .*\n/m)
    .slice(1)
    .map((part) => part.slice(Math.max(0, part.search(/^--- /m))).replace(/\n+$/, "\n"));

/** The content that a diff adds. The last line of a new file is followed by an empty one in the diff. */
const addedBy = (diff: string): string => [...diff.matchAll(/^\+(?!\+\+ )(.*)$/gm)].map(([, line]) => line).join("\n");
