import type { FileView, ToolView } from "@spoor/protocol";
import type { IconName } from "../../../ui/icon.tsx";
import { relativePath } from "../../relative-path.ts";
import { toolVerbs } from "../../tool-verbs.ts";
import type { ToolCardItem } from "../row-types.ts";

/** What a card says in its line: what is done, and to what. */
interface ToolWords {
  readonly icon: IconName;
  readonly verb: string;
  /** A path, a command, a pattern: in the words of the agent, on one line. */
  readonly target: string;
}

/** The words of a call. A call whose input is still being written has no target yet. */
export function toolWords(
  { tool, files, subagent, shells }: Pick<ToolCardItem, "tool" | "files" | "subagent" | "shells">,
  workspace?: string,
): ToolWords {
  const input = fieldsOf(tool.input);
  const first = (...names: string[]) => names.map((name) => textOf(input[name])).find((value) => value !== "") ?? "";
  const path = () => {
    const given = first("path", "file_path", "filePath", "filename", "notebook_path", "target_file");
    return given ? relativePath(given, workspace) : pathsOf(files, workspace);
  };
  switch (tool.kind) {
    case "shell":
    case "git":
      return { ...toolVerbs[tool.kind], target: first("command", "cmd", "script") || (shells[0]?.command ?? "") };
    case "edit":
    case "multi_edit":
      return { ...toolVerbs[tool.kind], ...(files[0]?.operation === "delete" && { verb: "Delete" }), target: path() };
    case "file_write":
      return { ...toolVerbs[tool.kind], ...writeVerb(files[0]), target: path() };
    case "file_read":
      return { ...toolVerbs[tool.kind], target: path() };
    case "glob":
      return { ...toolVerbs[tool.kind], target: first("pattern", "glob", "path") };
    case "grep":
      return { ...toolVerbs[tool.kind], target: first("pattern", "query", "regex") };
    case "todo_write":
      return { ...toolVerbs[tool.kind], target: todoTarget(input.todos) };
    case "http":
    case "web_fetch":
      return { ...toolVerbs[tool.kind], target: first("url", "uri") };
    case "web_search":
      return { ...toolVerbs[tool.kind], target: first("query", "q") };
    case "subagent":
      return {
        icon: "child",
        verb: subagent?.name ?? (first("name", "subagent_type", "agent") || tool.name),
        target: first("description", "prompt", "task") || (subagent?.prompt ?? ""),
      };
    case "mcp":
      return {
        icon: "plug",
        verb: tool.mcp?.server ?? tool.name,
        target: [tool.mcp?.tool, firstText(input)].filter(Boolean).join(" "),
      };
    default:
      return { icon: "plug", verb: tool.name, target: path() || firstText(input) };
  }
}

/** What was found out about a written file is said more exactly. */
function writeVerb(file: FileView | undefined): { verb?: string } {
  if (file?.operation === "create" || file?.beforeExisted === false) return { verb: "Create" };
  return file?.operation === "append" ? { verb: "Append to" } : {};
}

const pathsOf = (files: readonly FileView[], workspace: string | undefined): string =>
  [...new Set(files.map(({ path }) => relativePath(path, workspace)))].join(", ");

const fieldsOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};

/** The first line of a text. A list of words is a command. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.every((word) => typeof word === "string") ? value.join(" ") : "";
  return typeof value === "string" ? (value.trim().split("\n", 1)[0] ?? "") : "";
}

const firstText = (input: Readonly<Record<string, unknown>>): string =>
  Object.values(input)
    .map(textOf)
    .find((value) => value !== "") ?? "";

function todoTarget(todos: unknown): string {
  if (!Array.isArray(todos)) return "";
  const done = todos.filter((todo) => fieldsOf(todo).status === "completed").length;
  return `${done} of ${todos.length} done`;
}

/** A count that the result of a call tells: lines read, matches found. */
export function resultCount({ details, kind }: ToolView): string | undefined {
  for (const { data } of details) {
    if (kind === "file_read" && typeof data.lines === "number")
      return `${data.lines} ${data.lines === 1 ? "line" : "lines"}`;
    if ((kind === "grep" || kind === "glob") && typeof data.match_count === "number")
      return data.match_count === 1 ? "1 match" : `${data.match_count || "no"} matches`;
    if (typeof data.status_code === "number") return `status ${data.status_code}`;
  }
  return undefined;
}

/** Whether a card opens by itself: edits, running or failed commands, subagents. */
export function opensItself({ tool, files, shells }: ToolCardItem): boolean {
  if (tool.kind === "subagent") return true;
  if (tool.kind === "shell")
    return openStates.has(tool.state) || shells.some(({ running, exitCode }) => running || exitCode);
  return (tool.kind === "edit" || tool.kind === "multi_edit") && files.length > 0;
}

const openStates: ReadonlySet<ToolView["state"]> = new Set(["running", "failed", "timed_out"]);
