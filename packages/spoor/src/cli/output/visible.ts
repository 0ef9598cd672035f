import { columnsOf, headOf } from "./columns.ts";
import { terminalSafe } from "./terminal-safe.ts";

/**
 * Makes one line of text of unknown origin safe to show and to count: what a terminal would act on becomes a code, tabs become
 * spaces, and a character keeps at most eight combining marks.
 */
export const visible = (text: string): string =>
  terminalSafe(text)
    .replaceAll("\t", "    ")
    .replaceAll(PILED_MARKS, (marks) => marks.slice(0, [...marks].slice(0, MOST_MARKS).join("").length));

/** The same for a line of a command's output: a carriage return begins the line again, so its last state is shown. */
export function visibleOutput(line: string): string {
  const states = line.replace(/\r+$/, "").split("\r");
  return visible(states.at(-1) ?? "");
}

/** Cuts a line that is longer than 2,000 columns, and says how long it was. */
export function cutLong(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const columns = columnsOf(line);
  return columns <= LONGEST_LINE ? line : `${headOf(line, LONGEST_LINE)}${sizeOf(columns)}`;
}

/** What stands at the end of a line that was cut. */
export const sizeOf = (columns: number): string => `… (${columns.toLocaleString("en")} columns)`;

export const LONGEST_LINE = 2_000;
const MOST_MARKS = 8;
const PILED_MARKS = /\p{M}{9,}/gu;
