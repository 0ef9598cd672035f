import { visible } from "./visible.ts";

/** Rows of cells in columns as wide as their widest cell. Cells may hold any text: none of it reaches a terminal as a control. */
export function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(visible));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
