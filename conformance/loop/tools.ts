import { basename } from "node:path";
import type { DialectName, ToolBlock } from "../model-server/script.ts";
import { type Tools, tooLong, waitedFor } from "../tools.ts";

/** How the model of our own loop calls its tools. Paths are relative to the workspace. */
export const loopToolsOf = (dialect: DialectName): Tools => ({
  shell: (command) => tool("shell_exec", { command }),
  create: (path, content) => tool("file_write", { path: basename(path), content }),
  read: (path) => tool("read_file", { path: basename(path) }),
  edit: (path, old_string, new_string) => tool("file_edit", { path: basename(path), old_string, new_string }),
  overwrite: (path, _, content) => tool("file_write", { path: basename(path), content }),
  overlong: tooLong[dialect],
  plan: (steps) => [tool("todo_write", { todos: steps.map((content) => ({ content, status: "pending" })) })],
  subagent: (prompt, does) => waitedFor(tool("subagent", { name: "looker", prompt }), does),
  mcp: (name, input) => tool(`mcp__notes__${name}`, input),
});

const tool = (name: string, input: Readonly<Record<string, unknown>>): ToolBlock => ({ type: "tool", name, input });
