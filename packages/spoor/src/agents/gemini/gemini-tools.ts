import type { ToolKind } from "@spoor/protocol";
import { writtenFile } from "../kit/file-facts.ts";
import { asText, type Json } from "../kit/json-values.ts";
import type { FileFact, McpTool } from "../signal.ts";

/** Gemini's tools, by name. */
export const toolKinds: Readonly<Record<string, ToolKind>> = {
  run_shell_command: "shell",
  read_file: "file_read",
  read_many_files: "file_read",
  replace: "edit",
  write_file: "file_write",
  list_directory: "glob",
  glob: "glob",
  grep_search: "grep",
  search_file_content: "grep",
  write_todos: "todo_write",
  web_fetch: "web_fetch",
  google_web_search: "web_search",
  invoke_agent: "subagent",
  activate_skill: "other",
  save_memory: "other",
  update_topic: "other",
  ask_user: "other",
};

/**
 * Without a terminal Gemini cannot ask, so it removes the tools that would ask. A call of one is refused as unknown.
 */
export const isTakenAway = (name: string): boolean =>
  ["shell", "edit", "file_write"].includes(toolKinds[name] ?? "other");

/** `mcp_server_tool`: the server's name is assumed to end at the first underscore, although it may contain some. */
export function mcpTool(name: string): McpTool | undefined {
  const [, server, tool] = /^mcp_([^_]+)_(.+)$/.exec(name) ?? [];
  return server && tool ? { server, tool } : undefined;
}

/** What a call did to files, from its input: results contain neither the change nor whether a written file is new. */
export function filesOf(name: string, input: Json): FileFact[] {
  const path = asText(input.file_path);
  if (!path) return [];
  const after = asText(input.new_string) ?? asText(input.content) ?? "";
  switch (name) {
    case "read_file":
      return [{ op: "read", path }];
    case "write_file":
      return [writtenFile(path, after)];
    case "replace":
      return [writtenFile(path, after, asText(input.old_string) || null)];
    default:
      return [];
  }
}
