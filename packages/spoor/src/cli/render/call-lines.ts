import { dollars, took } from "../output/format.ts";
import type { Line, Part } from "../output/line.ts";
import { plural } from "../output/plural.ts";
import { type Call, type FileChange, isPath, targetOf, verbOf } from "./call.ts";
import { diffLines } from "./diff-lines.ts";
import { MOST_KEPT } from "./output-tail.ts";

export type OutputMode = "some" | "all" | "none";

export interface CallOptions {
  output: OutputMode;
  /** The end of the run's id, for commands that show the rest; undefined if the run is not recorded. */
  run: string | undefined;
  /** Makes a path shorter: relative to the workspace. */
  path(path: string): string;
}

/** The lines of a call that is over. */
export function callLines(call: Call, options: CallOptions): Line[] {
  const { end, files, kind, subagent } = call;
  const isCommand = kind === "shell" || call.command !== undefined;
  const failed = end?.error !== undefined || (call.exitCode ?? 0) !== 0;
  return [
    headLine(call, options, isCommand && failed),
    ...(subagent ? subagentLines(call) : []),
    ...files.flatMap(({ diff }) => (diff === undefined ? [] : diffLines(diff, options.run))),
    ...(isCommand ? outputLines(call, options, failed) : []),
    ...(failed ? [failureLine(call, isCommand)] : []),
  ];
}

/** The line of a call that runs: a turning mark, and the seconds. */
export function runningLine(call: Call, options: CallOptions, now: number, mark: string): Line {
  const seconds = Math.floor((now - call.startedAt) / 1000);
  const tools = call.subagent && call.subagent.tools > 0 ? [fact(plural(call.subagent.tools, "tool"), 2)] : [];
  return [{ text: mark, role: "blue" }, ...title(call, options), ...factsOf([...tools, fact(`${seconds} s`, 1)])];
}

function headLine(call: Call, options: CallOptions, isFailedCommand: boolean): Line {
  const { end, files, subagent, kind } = call;
  const facts = [
    ...(subagent ? [fact("subagent", 3)] : []),
    ...(end?.lines !== undefined && kind === "file_read" ? [fact(plural(end.lines, "line"), 2)] : []),
    ...(end && end.ms >= 1 && !isFailedCommand ? [fact(took(end.ms), 3)] : []),
    ...(subagent?.usd ? [fact(dollars(Math.round(subagent.usd * 1_000_000)), 2)] : []),
  ];
  return ["●", ...title(call, options), ...changes(files), ...factsOf(facts)];
}

function title(call: Call, options: CallOptions): Part[] {
  const target = targetOf(call).trim();
  const [first = ""] = target.split("\n", 1);
  const text = isPath(call) ? options.path(first) : first;
  const more = target.length > first.length ? " …" : "";
  return [
    { text: verbOf(call), role: "strong" },
    { text: `${text.slice(0, LONGEST_TARGET).toWellFormed()}${more}`, shrinks: isPath(call) ? "path" : "end" },
  ];
}

export function changes(files: readonly Pick<FileChange, "additions" | "deletions" | "isDeleted" | "bytes">[]): Part[] {
  const sum = (name: "additions" | "deletions") => files.reduce((total, file) => total + (file[name] ?? 0), 0);
  const isCounted = files.some(({ additions, deletions }) => additions !== undefined || deletions !== undefined);
  const [only] = files;
  if (files.length === 1 && only?.isDeleted && !isCounted) return [{ text: "deleted", role: "red" }];
  if (!isCounted) return [];
  const [additions, deletions] = [sum("additions"), sum("deletions")];
  return [
    ...(additions > 0 || deletions === 0 ? [{ text: `+${additions}`, role: "green" as const }] : []),
    ...(deletions > 0 ? [{ text: `-${deletions}`, role: "red" as const }] : []),
  ];
}

const fact = (text: string, leaves: number): Part => ({ text, role: "dim", leaves });
/** Facts in a row, separated by dots. */
export const factsOf = (facts: readonly Part[]): Part[] =>
  facts.map((part, index) => (index === 0 ? part : { join: " · ", ...part }));

function subagentLines({ subagent }: Call): Line[] {
  const { tools = 0, summary = "", error } = subagent ?? {};
  if (error !== undefined) return [];
  const [first = ""] = summary.trim().split("\n", 1);
  const said = first === "" ? [] : [{ text: `“${first}”`, shrinks: "end" as const }];
  const parts = [...(tools > 0 ? [{ text: plural(tools, "tool") }] : []), ...said];
  if (parts.length === 0) return [];
  return [
    ["  ", { text: "└", role: "dim", join: "" }, ...factsOf(parts).map((part): Part => ({ ...part, role: "dim" }))],
  ];
}

/** The end of a command's output, and how to see the rest. */
function outputLines({ output, number }: Call, { output: mode, run }: CallOptions, failed: boolean): Line[] {
  const most = mode === "none" ? 0 : mode === "all" ? MOST_KEPT : failed ? 8 : 4;
  const lines = output.last(most);
  const left = output.count - lines.length;
  const how = run === undefined || number === undefined ? "" : `, spoor show …${run} --output ${number}`;
  const more = `│ … ${left.toLocaleString("en")} more ${left === 1 ? "line" : "lines"}`;
  return [
    // A command that is cut in its middle would be of no use.
    ...(left > 0 && mode !== "none" ? [["  ", { ...fact(more, 0), join: "" }, { ...fact(how, 1), join: "" }]] : []),
    ...lines.map(outputLine),
  ];
}

export const outputLine = (text: string): Line => [
  "  ",
  { text: "│", role: "dim", join: "" },
  { text, shrinks: "end" },
];

function failureLine({ exitCode, end, subagent }: Call, isCommand: boolean): Line {
  const ms = end?.ms ?? 0;
  const time: Part[] = ms >= 1 ? [fact(took(ms), 1)] : [];
  const outcome = end?.outcome === undefined || end.outcome === "failed" ? "" : end.outcome.replace("_", " ");
  const word = outcome === "blocked" ? "refused" : outcome;
  const reason = (subagent?.error ?? end?.error ?? "").trim().split("\n", 1)[0] ?? "";
  if (isCommand && exitCode !== undefined && word === "") {
    // -1 stands for an exit code that nobody knows.
    const how = exitCode === -1 ? "failed" : `exit ${exitCode}`;
    return ["  ", { text: `✗ ${how}`, role: "red", join: "" }, ...time];
  }
  const text = reason.startsWith(word) || word === "" ? reason : `${word}: ${reason}`;
  return ["  ", { text: "✗", role: "red", join: "" }, { text: text || "failed", shrinks: "end" }, ...time];
}

/** Three or more reads and searches in a row are one line. */
export function joinedLine(calls: readonly Call[]): Line {
  const reads = calls.filter(({ kind }) => kind === "file_read");
  const files = new Set(reads.map((call) => targetOf(call))).size;
  const searches = calls.length - reads.length;
  const ms = calls.reduce((sum, { end }) => sum + (end?.ms ?? 0), 0);
  const searched = searches === 0 ? "" : `searched ${times(searches)}`;
  const what =
    files === 0 ? searched.replace("s", "S") : [`Read ${plural(files, "file")}`, searched].filter(Boolean).join(", ");
  const [verb = "", ...rest] = what.split(" ");
  return ["●", { text: verb, role: "strong" }, rest.join(" "), ...(ms >= 1 ? [fact(took(ms), 1)] : [])];
}

const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

const LONGEST_TARGET = 4_000;
