/** The kind of a tool, independent of the agent's name for it. */
export const toolKinds = [
  "shell",
  "edit",
  "multi_edit",
  "file_write",
  "file_read",
  "glob",
  "grep",
  "todo_write",
  "http",
  "web_fetch",
  "web_search",
  "mcp",
  "subagent",
  "other",
] as const;
export type ToolKind = (typeof toolKinds)[number];
