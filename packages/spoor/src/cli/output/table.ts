import { columnsOf, cutEnd, padEnd } from "./columns.ts";
import type { Style } from "./style.ts";
import { visible } from "./visible.ts";

/** Where a table is shown: how wide it may be, and what stands for marks that are not ASCII. */
type Place = Pick<Style, "columns"> & Partial<Pick<Style, "isAscii" | "plain">>;

/**
 * Formats rows in columns that are as wide as their widest cell. Control characters in cells are escaped. Rows that are wider
 * than the terminal are cut.
 */
export function table(given: readonly (readonly string[])[], place: Place = { columns: UNLIMITED }): string {
  const { columns, isAscii = false, plain = (text: string) => text } = place;
  const rows = given.map((row) => row.map((cell) => plain(visible(cell))));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, columnsOf(cell));
  }
  const lineOf = (row: readonly string[]) => row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join("  ");
  // In ASCII, the mark of a cut needs two columns more.
  const cut = (line: string) => (columnsOf(line) > columns ? plain(cutEnd(line, columns - (isAscii ? 2 : 0))) : line);
  return rows.map((row) => `${cut(lineOf(row).trimEnd())}\n`).join("");
}

const UNLIMITED = Number.POSITIVE_INFINITY;
