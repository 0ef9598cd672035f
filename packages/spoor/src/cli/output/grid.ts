import { columnsOf, cutEnd, padEnd, padStart } from "./columns.ts";
import type { Role, Style } from "./style.ts";
import { visible } from "./visible.ts";

export interface Cell {
  text: string;
  role?: Role | undefined;
}

export interface GridColumn {
  head: string;
  align?: "right";
  /** Set if the column is left out when the terminal is too narrow: the greatest number goes first. */
  leaves?: number;
  /** Set if the column is left out when the last column could otherwise not be read. */
  yields?: true;
}

/** Formats rows under a head in capitals. Columns leave when the terminal is narrow; the last column is cut. */
export function grid(columns: readonly GridColumn[], rows: readonly (readonly Cell[])[], style: Style): string {
  const cells = rows.map((row) => row.map(({ text, role }) => ({ role, text: style.plain(visible(text)) })));
  const kept = [...columns.keys()];
  const widthOf = (column: number) =>
    Math.max(
      ...[{ text: columns[column]?.head ?? "" }, ...cells.map((row) => row[column] ?? { text: "" })].map(({ text }) =>
        columnsOf(text),
      ),
    );
  const widths = columns.map((_, column) => widthOf(column));
  const lengthOf = (least: number) => {
    const last = kept.at(-1) ?? 0;
    const fixed = kept.slice(0, -1).reduce((sum, column) => sum + (widths[column] ?? 0) + 2, 0);
    return fixed + Math.min(widths[last] ?? 0, least);
  };
  while (lengthOf(LEAST_LAST) > style.columns) {
    const first = Math.max(...kept.map((column) => columns[column]?.leaves ?? 0));
    if (first === 0) break;
    kept.splice(
      kept.findIndex((column) => columns[column]?.leaves === first),
      1,
    );
  }
  const yielding = kept.findIndex((column) => columns[column]?.yields);
  if (yielding >= 0 && lengthOf(LEAST_READABLE) > style.columns) kept.splice(yielding, 1);
  const lineOf = (row: readonly Cell[]): string => {
    let [line, used] = ["", 0];
    for (const [index, column] of kept.entries()) {
      const { text = "", role } = row[column] ?? {};
      const isLast = index === kept.length - 1;
      const room = style.columns - used;
      const cut = cutEnd(
        text,
        Math.max(0, isLast ? room - (style.isAscii ? 2 : 0) : Math.min(room, widths[column] ?? 0)),
      );
      const pad = (columns[column]?.align === "right" ? padStart : padEnd)(cut, isLast ? 0 : (widths[column] ?? 0));
      line += `${style.paint(role, style.plain(pad).trimEnd())}${" ".repeat(pad.length - pad.trimEnd().length)}${isLast ? "" : "  "}`;
      used += columnsOf(pad) + 2;
    }
    return `${line.trimEnd()}\n`;
  };
  const head = columns.some((column) => column.head !== "") ? [columns.map((column) => ({ text: column.head }))] : [];
  return [...head, ...cells].map(lineOf).join("");
}

/** The last column keeps at least this many columns, or others leave. */
const LEAST_LAST = 20;
const LEAST_READABLE = 8;
