import type { Writable } from "node:stream";
import { terminalSafe } from "./terminal-safe.ts";

/**
 * Formats rows in columns that are as wide as their widest cell. Control characters in cells are escaped. Rows that are wider
 * than `width` are cut.
 */
export function table(given: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  const rows = given.map((row) => row.map(terminalSafe));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return rows.map((row) => `${cut(lineOf(row), width)}\n`).join("");
}

/** The width of the terminal; undefined (no limit) if the output is not a terminal. */
export const widthOf = (output: Writable & { isTTY?: boolean; columns?: number }): number | undefined =>
  output.isTTY ? output.columns : undefined;

const cut = (line: string, width: number): string =>
  line.length > width ? `${line.slice(0, Math.max(0, width - 1)).toWellFormed()}…` : line;
