import type { ToolKind } from "@spoor/protocol";
import { asArray, asObject, asText, type Json } from "../json-machine.ts";
import type { FileFact, McpTool } from "../signal.ts";
import { rowOf } from "./table.ts";

/** A tool call as requests, starts and questions name it. */
export interface Call {
  id: string;
  name: string;
  toolKind: ToolKind;
  input: unknown;
  mcp?: McpTool;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  apply_patch: "multi_edit",
  ask_user: "other",
  bash: "shell",
  create: "file_write",
  edit: "edit",
  exit_plan_mode: "other",
  fetch_copilot_cli_documentation: "web_fetch",
  glob: "glob",
  grep: "grep",
  list_agents: "other",
  list_bash: "shell",
  list_powershell: "shell",
  lsp: "other",
  powershell: "shell",
  read_agent: "other",
  read_bash: "shell",
  read_powershell: "shell",
  report_intent: "other",
  rg: "grep",
  skill: "other",
  // Plans are rows of a table that the model keeps.
  sql: "todo_write",
  stop_bash: "shell",
  stop_powershell: "shell",
  store_memory: "other",
  str_replace_editor: "edit",
  task: "subagent",
  task_complete: "other",
  update_todo: "todo_write",
  view: "file_read",
  web_fetch: "web_fetch",
  web_search: "web_search",
  write_agent: "other",
  write_bash: "shell",
  write_powershell: "shell",
};

/** Whether it is a tool of the agent's own: what an MCP server's are called says nothing of the server. */
export const isOwn = (name: string): boolean => Object.hasOwn(kinds, name);

/** The tool of a request (`name`) or of what is told of it (`toolName`). */
export function callOf(data: Json): Call | undefined {
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
  return rowOf(kinds, name) ?? "other";
}

/** The command a call runs. */
export function commandOf({ name, input }: Call): string | undefined {
  return name === "bash" || name === "powershell" ? asText(asObject(input)?.command) : undefined;
}

/** What a call that succeeded did to files. */
export function filesOf({ name, input }: Call, data: Json): FileFact[] {
  const path = asText(asObject(input)?.path);
  const isFolder = asObject(asObject(data.toolTelemetry)?.properties)?.viewType === "directory";
  if (name === "view") return path === undefined || isFolder ? [] : [{ op: "read", path }];
  const diffs = diffsOf(asText(asObject(data.result)?.detailedContent) ?? "");
  return asArray(data.fileEdits).flatMap((edit): FileFact[] => {
    const { path: edited, kind } = asObject(edit) ?? {};
    const file = asText(edited);
    if (file === undefined) return [];
    if (kind === "delete") return [{ op: "delete", path: file }];
    const diff = diffs.find((each) => each.includes(`/${file.replace(/^\/+/, "")}\n`)) ?? "";
    if (kind !== "create") return [{ op: "patch", path: file, diff }];
    const content = (file === path ? asText(asObject(input)?.file_text) : undefined) ?? addedBy(diff);
    return [{ op: "create", path: file, byteCount: new TextEncoder().encode(content).length }];
  });
}

/** The diffs of one text by file, without what Git puts before them. */
const diffsOf = (text: string): string[] =>
  text
    .split(/^diff --git .*\n/m)
    .slice(1)
    .map((part) => part.slice(Math.max(0, part.search(/^--- /m))).replace(/\n+$/, "\n"));

/** The last line of a new file is told as an empty one after it. */
const addedBy = (diff: string): string => [...diff.matchAll(/^\+(?!\+\+ )(.*)$/gm)].map(([, line]) => line).join("\n");
