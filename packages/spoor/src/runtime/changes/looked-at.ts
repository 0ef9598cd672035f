import type { AgentEvent, AgentEventOf, ToolKind } from "@spoor/protocol";

/** What a call may change: any file (`tree`), the files that it names (`named`), or none. */
export type Reach = "tree" | "named" | "none";

/** How far each kind of tool reaches. A subagent works through calls of its own, so its call only takes what they left. */
export const reaches: Readonly<Record<ToolKind, Reach>> = {
  shell: "tree",
  mcp: "tree",
  other: "tree",
  subagent: "tree",
  edit: "named",
  multi_edit: "named",
  file_write: "named",
  file_read: "none",
  glob: "none",
  grep: "none",
  todo_write: "none",
  http: "none",
  web_fetch: "none",
  web_search: "none",
};

/** The events of calls that matter for their changes. */
export type CallEvent = AgentEventOf<
  | "tool_call_start"
  | "tool_call_ready"
  | "tool_result"
  | "tool_error"
  | "mcp_tool_call_start"
  | "mcp_tool_result"
  | "mcp_tool_error"
>;

const ends = new Set<AgentEvent["type"]>(["tool_result", "tool_error", "mcp_tool_result", "mcp_tool_error"]);

export const isCallEnd = (
  event: AgentEvent,
): event is Extract<CallEvent, { type: `${string}_result` | `${string}_error` }> => ends.has(event.type);

/** The files that a call names in its input, as it writes them. */
export function namedFiles(input: unknown): string[] {
  const names = new Set<string>();
  collect(input, names, 0);
  return [...names].slice(0, MAX_NAMED);
}

const MAX_NAMED = 200;

const FIELDS = new Set([
  "file_path",
  "filepath",
  "filename",
  "path",
  "absolute_path",
  "notebook_path",
  "target_file",
  "file",
  "move_path",
]);

function collect(value: unknown, names: Set<string>, depth: number): void {
  if (depth > 3) return;
  if (typeof value === "string") {
    for (const [, name] of value.matchAll(PATCHED)) if (name) names.add(name);
    return;
  }
  if (Array.isArray(value)) {
    for (const each of value) collect(each, names, depth + 1);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    const field = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (key === "patch" && typeof each === "string")
      for (const [, name] of each.matchAll(DIFFED)) if (name) names.add(name);
    if (typeof each === "string" && (FIELDS.has(field) || FIELDS.has(key.toLowerCase()))) names.add(each);
    else if (key === "changes" && typeof each === "object" && each !== null && !Array.isArray(each)) {
      // Some agents list changes by path.
      for (const name of Object.keys(each)) names.add(name);
      collect(Object.values(each), names, depth + 1);
    } else collect(each, names, depth + 1);
  }
}

/** A line of the patch format that several agents use. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm;

/** A line of a unified diff that names a file. */
const DIFFED = /^(?:(?:---|\+\+\+) (?:[ab]\/)?|rename (?:from|to) )([^\t\r\n]+)/gm;
