import path from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind } from "@agentclientprotocol/sdk";
import { maybe, type Payload, text } from "../translator.ts";
import { beginning, ending, MAX_TEXT_LENGTH, whole } from "./bounded.ts";

/** A tool call as the editor knows it. Content and locations are replaced as a whole, so all of them are kept. */
export interface Call {
  readonly toolCallId: string;
  readonly kind: ToolKind;
  title: string;
  status: ToolCallStatus;
  /** What the tool returned. It replaces what it printed meanwhile. */
  result: string | undefined;
  output: Output;
  /** The changes of each file; a later event about the same file replaces them. */
  readonly diffs: Map<string, ToolCallContent[]>;
  readonly locations: Map<string, ToolCallLocation>;
}

/** What a command has printed: the end of it, its whole length, and the length when it was last sent. */
interface Output {
  tail: string;
  length: number;
  sent: number;
}

export const newCall = (toolCallId: string, name: string, kind: string): Call => ({
  toolCallId,
  kind: kinds[kind] ?? "other",
  title: name || "Tool",
  status: "pending",
  result: undefined,
  output: { tail: "", length: 0, sent: 0 },
  diffs: new Map(),
  locations: new Map(),
});

/** Everything that the call has to show. */
export function contentOf({ result, output, diffs, kind }: Call): ToolCallContent[] {
  const printed = output.length > 0 ? ending(output.tail, output.length) : "";
  const shown = kind === "execute" && printed !== "" ? printed : beginning(result ?? printed);
  return [...[...diffs.values()].flat(), ...(shown.trim() === "" ? [] : [textContent(shown, kind)])];
}

/**
 * Adds output. Returns whether it should be sent: each update holds the whole content, so while it grows it is sent less and
 * less often.
 */
export function addOutput({ output }: Call, piece: string): boolean {
  output.tail = (output.tail + piece).slice(-MAX_TEXT_LENGTH);
  output.length += piece.length;
  if (output.length < output.sent * 1.25) return false;
  output.sent = output.length;
  return true;
}

/** Takes title and files from the input of the tool, whose fields agents name differently. */
export function readInput(call: Call, name: string, input: unknown, cwd: string): void {
  if (typeof input !== "object" || input === null) return;
  const data = input as Payload;
  const files = [data, ...changesIn(data)].flatMap((each) => fileFields.flatMap((field) => maybe(each, field) ?? []));
  for (const file of files) addLocation(call, path.resolve(cwd, file));
  const [first, ...others] = new Set(files);
  const shown = first === undefined ? subjectOf(data) : `${shownPath(first, cwd)}${others.length > 0 ? " …" : ""}`;
  const about = call.kind === "execute" ? commandOf(data) : shown;
  if (about === undefined) return;
  call.title = shortLine(call.kind === "execute" ? about : `${name}: ${about}`);
}

/** The changes of several files that one call makes. */
const changesIn = ({ changes, edits }: Payload): Payload[] =>
  [changes, edits]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((each) => typeof each === "object" && each !== null);

/** Files of the project by their path in it. */
export function shownPath(file: string, cwd: string): string {
  const inside = path.relative(cwd, path.resolve(cwd, file));
  return inside === "" || /^\.\.(\/|$)/.test(inside) ? file : inside;
}

export function addLocation(call: Call, file: string): boolean {
  if (call.locations.has(file) || call.locations.size >= MAX_LOCATIONS) return false;
  call.locations.set(file, { path: file });
  return true;
}

/** The first line of a text, for a title. */
export function shortLine(words: string): string {
  const [line = ""] = words.trim().split("\n");
  return line.length > MAX_TITLE_LENGTH ? `${whole(line.slice(0, MAX_TITLE_LENGTH - 1))}…` : line;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  shell: "execute",
  edit: "edit",
  multi_edit: "edit",
  file_write: "edit",
  file_read: "read",
  glob: "search",
  grep: "search",
  web_search: "search",
  web_fetch: "fetch",
  http: "fetch",
  todo_write: "think",
  subagent: "think",
};

/** The names that agents give to the file of a call. */
export const fileFields: readonly string[] = [
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "notebook_path",
  "target_file",
];
const subjectFields = ["pattern", "query", "url", "description", "prompt"];
const subjectOf = (data: Payload): string | undefined =>
  subjectFields.flatMap((field) => maybe(data, field) ?? []).at(0);

function commandOf(data: Payload): string | undefined {
  const { command } = data;
  return Array.isArray(command) ? command.join(" ") : text(data, "command") || text(data, "cmd") || undefined;
}

/** Output of commands is shown as it is; a fence that is longer than any in it keeps it so. */
function textContent(shown: string, kind: ToolKind): ToolCallContent {
  if (kind !== "execute") return { type: "content", content: { type: "text", text: shown } };
  const longest = Math.max(2, ...[...shown.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return {
    type: "content",
    content: { type: "text", text: `${fence}console\n${shown.replace(/\n?$/, "\n")}${fence}` },
  };
}

const MAX_TITLE_LENGTH = 200;
const MAX_LOCATIONS = 50;
