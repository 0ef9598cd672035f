import type { AgentEventOf } from "../agent-events/catalog.ts";
import { type Context, callOf } from "./context.ts";
import type { Data } from "./conversion.ts";
import { outputTextOf } from "./output-text.ts";
import type { CallState } from "./state.ts";

/** One line for people that says what a call did, for every kind of tool. */
export const callSummary: Context = {
  how: "one line about what the call did, from its kind, its input and its output",
  value: (event, state) => summaryOf(event as ToolEnd, callOf(event, state)),
};

/** The events that are stored as `tool.completed`. */
type ToolEnd = AgentEventOf<"tool_result" | "mcp_tool_result" | "mcp_tool_error">;

function summaryOf(event: ToolEnd, call: CallState | undefined): string {
  if (event.type !== "tool_result") {
    const result = event.type === "mcp_tool_result" ? sizeOf(event.output) : event.error;
    return oneLine(`${event.server}/${event.toolName}: ${result}`);
  }
  const input = typeof call?.input === "object" && call.input !== null ? (call.input as Data) : {};
  const { toolName: name, output } = event;
  const summary = byKind[call?.kind ?? "other"]?.({ input, output, name, call });
  return oneLine(summary ?? `${name}: ${sizeOf(output)}`);
}

interface Done {
  input: Data;
  output: unknown;
  name: string;
  call: CallState | undefined;
}

/** What a call of each kind did. Undefined if its input lacks the needed fields. */
const byKind: { readonly [Kind in NonNullable<CallState["kind"]>]?: (done: Done) => string | undefined } = {
  shell: ({ input, output, call }) => {
    const command = call?.command ?? commandOf(input);
    const exit = call?.exitCode === undefined ? undefined : `exited with status ${call.exitCode}`;
    return command === undefined
      ? exit
      : `${quoted(command)}${exit === undefined ? `: ${sizeOf(output)}` : ` ${exit}`}`;
  },
  file_read: ({ input, output }) => about("read", pathsOf(input), sizeOf(output)),
  edit: ({ input }) => about("edited", pathsOf(input)),
  multi_edit: ({ input }) => about("edited", pathsOf(input)),
  file_write: ({ input }) => about("wrote", pathsOf(input)),
  glob: ({ input, output }) => about("listed", textsOf(input, ["pattern", "path"]).slice(0, 1), sizeOf(output)),
  grep: ({ input, output }) =>
    about("searched for", textsOf(input, ["pattern", "query", "regex"]).slice(0, 1), sizeOf(output)),
  todo_write: ({ call }) => {
    const todos = call?.todos;
    const done = todos?.filter(({ status }) => status === "completed").length ?? 0;
    return todos && `${counted(todos.length, "to-do")}, ${done} done`;
  },
  http: ({ input, output }) => about("requested", textsOf(input, ["url"]), sizeOf(output)),
  web_fetch: ({ input, output }) => about("fetched", textsOf(input, ["url"]), sizeOf(output)),
  web_search: ({ input }) => about("searched the web for", textsOf(input, ["query"])),
  subagent: ({ input, name }) => {
    const [task] = textsOf(input, ["description", "title", "prompt", "task"]);
    return task && `${name} finished: ${task}`;
  },
};

function about(did: string, [first, ...more]: readonly string[], size?: string): string | undefined {
  if (first === undefined) return undefined;
  const rest = more.length === 0 ? "" : ` and ${counted(more.length, "more file")}`;
  return `${did} ${cut(first, 80)}${rest}${size === undefined ? "" : `: ${size}`}`;
}

function commandOf(input: Data): string | undefined {
  const command = input.command ?? input.cmd ?? input.script;
  if (Array.isArray(command)) return command.filter((word) => typeof word === "string").join(" ");
  return typeof command === "string" && command !== "" ? command : undefined;
}

const pathNames = ["file_path", "path", "filePath", "filename", "target_file", "notebook_path", "absolute_path"];

/** The files that a call names: itself, in a list of changes, or in the lines of a patch. */
function pathsOf(input: Data): readonly string[] {
  const [path] = textsOf(input, pathNames);
  if (path !== undefined) return [path];
  const { changes = input.edits ?? input.files } = input;
  if (Array.isArray(changes)) {
    const named = changes.flatMap((change) =>
      typeof change === "object" && change !== null ? textsOf(change as Data, pathNames).slice(0, 1) : [],
    );
    return [...new Set(named)];
  }
  if (typeof changes === "object" && changes !== null) return Object.keys(changes);
  const [patch] = textsOf(input, ["input", "patch", "patchText"]);
  return patch === undefined ? [] : [...patch.matchAll(patchedFile)].map(([, file = ""]) => file);
}

const patchedFile = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

const textsOf = (input: Data, names: readonly string[]): string[] =>
  names.map((name) => input[name]).filter((value) => typeof value === "string" && value !== "") as string[];

/** How much a tool returned. */
function sizeOf(output: unknown): string {
  const text = outputTextOf(output);
  if (text === undefined) return Array.isArray(output) ? counted(output.length, "item") : "done";
  const lines = lineCount(text);
  return lines === 0 ? "no output" : `${counted(lines, "line")} of output`;
}

function lineCount(text: string): number {
  const end = text.trimEnd().length;
  let lines = end === 0 ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
const quoted = (command: string): string => `\`${cut(command.trim().split("\n", 1)[0] ?? "", 80)}\``;
const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

/** One line without control characters. A cut never leaves half of a surrogate pair. */
const oneLine = (text: string): string =>
  cut(
    text
      .slice(0, 400)
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim(),
    200,
  ).toWellFormed();
