import type { AgentEvent, ToolKind } from "@spoor/protocol";
import { OutputTail } from "./output-tail.ts";

/** A file that a call changed. */
export interface FileChange {
  path: string;
  additions?: number;
  deletions?: number;
  diff?: string;
  isDeleted?: true;
  /** The file was not there before. */
  isNew?: boolean;
  bytes?: number;
}

/** A subagent that a call started. */
export interface Subagent {
  id: string;
  name: string;
  task: string;
  childRunId?: string;
  tools: number;
  summary?: string;
  error?: string;
  usd?: number;
  isOver?: true;
}

/** A call of a tool, from the moment its input is complete until its line is printed. */
export interface Call {
  id: string;
  /** Which call of the run it is, from 1; undefined if the beginning of the run was not seen. */
  number: number | undefined;
  name: string;
  kind: ToolKind;
  input: Readonly<Record<string, unknown>>;
  startedAt: number;
  output: OutputTail;
  files: FileChange[];
  command?: string;
  exitCode?: number;
  subagent?: Subagent;
  /** Set while a person is asked about the call. */
  isWaiting?: boolean;
  /** Set when a person has answered. */
  hasWaited?: boolean;
  /** Set when the call is over. */
  end?: { ms: number; error?: string; outcome?: string; lines?: number };
}

export function newCall(event: AgentEvent, facts: Pick<Call, "id" | "name" | "number"> & Partial<Call>): Call {
  return {
    ...{ kind: "other", input: {}, startedAt: event.timestamp, files: [] },
    output: new OutputTail(),
    ...facts,
  };
}

export const inputOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};

/** The verb of a call, as the web page has it. Tools without a kind have their name. */
export function verbOf({ kind, name, subagent }: Call): string {
  return subagent?.name ?? verbs[kind] ?? name;
}

/** The verb of a kind of tool; undefined if it has none. */
export const verbOfKind = (kind: string): string | undefined => (verbs as Readonly<Record<string, string>>)[kind];

const verbs: Partial<Record<ToolKind, string>> = {
  ...{ shell: "Run", edit: "Edit", multi_edit: "Edit", file_write: "Write", file_read: "Read", glob: "Find" },
  ...{ grep: "Search", http: "Fetch", web_fetch: "Fetch", web_search: "Search the web" },
};

/** What a call is about: its command, its file, its pattern, or its whole input. */
export function targetOf(call: Call): string {
  const { input, command, subagent, files, kind } = call;
  if (subagent) return subagent.task;
  const named =
    command ??
    fieldsByKind(kind)
      .map((name) => textIn(input[name]))
      .find((text) => text !== undefined);
  if (named !== undefined) return named;
  const [first, ...more] = files;
  if (first) return more.length === 0 ? first.path : `${first.path} and ${more.length} more`;
  return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
}

/** Whether the target is the path of a file, which is shortened in its middle. */
export const isPath = ({ kind }: Call): boolean =>
  kind === "file_read" || kind === "file_write" || kind === "edit" || kind === "multi_edit";

function textIn(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string"))
    return value.join(" ");
  return undefined;
}

const files = ["file_path", "path", "filePath", "filename", "target_file", "notebook_path", "absolute_path"];
const fieldsByKind = (kind: ToolKind): readonly string[] => [
  ...(kind === "shell" ? ["command", "cmd", "script"] : []),
  ...(kind === "grep" || kind === "glob" ? ["pattern", "query", "regex"] : []),
  ...(kind === "subagent" ? ["description", "title", "prompt", "task"] : []),
  ...(kind === "mcp" ? [] : [...files, "command", "pattern", "url", "query", "description"]),
];

/** Reads and searches, which are joined when many follow each other. */
export const isLook = ({ kind, end }: Call): boolean =>
  (kind === "file_read" || kind === "glob" || kind === "grep") && end?.error === undefined;
