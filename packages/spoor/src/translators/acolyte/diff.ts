import { type Payload, text } from "../translator.ts";
import type { ToolOutput } from "./stream-event.ts";

type DiffLine = Extract<ToolOutput, { kind: "diff" }>;

/** A longer diff is in the log; the header counts all of it. */
const MAX_LINES = 500;

/** How many lines a change added and removed. */
export interface LineCounts {
  added: number;
  removed: number;
}

/** A change of a file: its header, and the lines of its diff if the event holds them. `counts` are used if it does not. */
export function changeParts(type: string, data: Payload, counts?: LineCounts): ToolOutput[] {
  const path = text(data, "path");
  if (path === "") return [];
  const lines = diffLines(text(data, "diff"));
  const count = (marker: DiffLine["marker"]) => lines.filter((line) => line.marker === marker).length;
  const { added, removed } = counts ?? { added: count("add"), removed: count("remove") };
  const header: ToolOutput = { kind: "edit-header", labelKey: labelOf(type, data), path, files: 1, added, removed };
  return [header, ...lines.slice(0, MAX_LINES)];
}

/** Acolyte's own clients have these labels in their language. */
function labelOf(type: string, data: Payload): string {
  if (type === "tool.file.deleted") return "tool.label.file_delete";
  return data.before_existed === false ? "tool.label.file_create" : "tool.label.file_edit";
}

const markers: Readonly<Record<string, DiffLine["marker"]>> = { "+": "add", "-": "remove", " ": "context" };

/** The lines of a unified diff, numbered as in the new file; removed ones as in the old file. */
function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    const marker = markers[line.charAt(0)];
    // Names of files stand before the first hunk.
    if (hunk || marker === undefined || (before === 0 && after === 0)) continue;
    lines.push({
      kind: "diff",
      marker,
      lineNumber: Math.max(marker === "remove" ? before : after, 1),
      text: line.slice(1),
    });
    if (marker !== "add") before += 1;
    if (marker !== "remove") after += 1;
  }
  return lines;
}
