import type { ToolKind } from "@spoor/protocol";
import { editDiff } from "../dialects/pi/edit-diff.ts";
import { asText, type Json } from "../json-machine.ts";
import type { FileFact, McpTool } from "../signal.ts";
import { patchedFiles } from "./patch.ts";

export interface Tool {
  name: string;
  toolKind: ToolKind;
  mcp?: McpTool;
}

/** Tools of MCP servers are named after both; none of its own has two underscores. */
export function toolOf(name: string): Tool {
  const [, server, tool] = /^(.+?)__(.+)$/.exec(name) ?? [];
  if (server && tool) return { name, toolKind: "mcp", mcp: { server, tool } };
  return { name, toolKind: Object.hasOwn(toolKinds, name) ? (toolKinds[name] as ToolKind) : "other" };
}

/** What it cannot be seen to do to files, commands, the web or other agents is `other`. */
export const toolKinds: Readonly<Record<string, ToolKind>> = {
  agents_wait: "subagent",
  apply_patch: "edit",
  edit: "edit",
  exec: "shell",
  find: "glob",
  grep: "grep",
  ls: "glob",
  process: "shell",
  read: "file_read",
  sessions_spawn: "subagent",
  sessions_yield: "subagent",
  subagents: "subagent",
  terminal: "shell",
  update_plan: "todo_write",
  view_image: "file_read",
  web_fetch: "web_fetch",
  web_search: "web_search",
  write: "file_write",
};

/** What a call says that was refused, by someone or by the settings. */
export const isDenial = (words: string): boolean => /^Exec denied\b/.test(words);

/** What a call that succeeded did to files. */
export function filesOf({ name, toolKind }: Tool, input: Json, details: Json): FileFact[] {
  if (name === "apply_patch") return patchedFiles(asText(input.input) ?? "");
  const path = asText(input.path);
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") {
    const byteCount = new TextEncoder().encode(asText(input.content) ?? "").length;
    return [{ op: details.created === true ? "create" : "write", path, byteCount }];
  }
  const diff = toolKind === "edit" ? editDiff(path, details) : undefined;
  return diff === undefined ? [] : [{ op: "patch", path, diff }];
}
