import { columnsOf, cutEnd, cutPath } from "./columns.ts";
import type { Role, Style } from "./style.ts";
import { cutLong, LONGEST_LINE, visible } from "./visible.ts";

/** A piece of a line. */
export interface Part {
  text: string;
  role?: Role;
  /** What stands before it, if it is not the first. Default: a space. */
  join?: string;
  /** Set if it is left out when the line is too long: the parts with the greatest number go first. */
  leaves?: number;
  /** Set if it is shortened when the line is still too long. */
  shrinks?: "end" | "path";
}

/** The pieces of one line. */
export type Line = readonly (Part | string)[];

/** Formats one line. It is never longer than the terminal. */
export function layout(given: readonly (Part | string)[], style: Style, most: number = style.columns): string {
  let parts = partsOf(given, style);
  while (lengthOf(parts, style) > most) {
    const first = Math.max(...parts.map(({ leaves = 0 }) => leaves));
    if (first <= 0) break;
    parts = without(parts, first);
  }
  parts = shortened(parts, style, most);
  return parts.map((part, index) => `${before(part, index, style)}${style.paint(part.role, part.text)}`).join("");
}

/** Leaves out parts. A part that stood behind a dot takes the place of the first one of its row, which stands behind a space. */
function without(parts: readonly Part[], leaves: number): Part[] {
  let gone: Part | undefined;
  return parts.flatMap((part) => {
    if ((part.leaves ?? 0) >= leaves) {
      gone ??= part;
      return [];
    }
    const { join = " " } = gone ?? {};
    const isFirst = gone !== undefined && join.trim() === "" && (part.join ?? "").trim() !== "";
    gone = undefined;
    return [isFirst ? { ...part, join } : part];
  });
}

/** Whether a line is shown whole: nothing of it is cut or left out. */
export function fits(given: Line, style: Style): boolean {
  const isCut = given.some((part) => columnsOf(visible(typeof part === "string" ? part : part.text)) > LONGEST_LINE);
  return !isCut && lengthOf(partsOf(given, style), style) <= style.columns;
}

const partsOf = (given: Line, style: Style): Part[] =>
  given
    .map((part) => (typeof part === "string" ? { text: part } : part))
    .map((part): Part => ({ ...part, text: style.plain(cutLong(visible(part.text))) }))
    .filter(({ text }) => text !== "");

const before = ({ join = " ", role }: Part, index: number, style: Style): string =>
  index === 0 ? "" : join.trim() === "" ? join : style.paint(role === "dim" ? "dim" : undefined, style.plain(join));

const lengthOf = (parts: readonly Part[], style: Style): number =>
  parts.reduce((sum, { text, join = " " }, index) => sum + columnsOf(text) + (index ? style.plain(join).length : 0), 0);

/** Shortens the parts that may be, the last one first, and then whatever is left. */
function shortened(parts: readonly Part[], style: Style, most: number): Part[] {
  const result = [...parts];
  const order = [...result.keys()].sort((a, b) => Number(!!result[b]?.shrinks) - Number(!!result[a]?.shrinks) || b - a);
  for (const index of order) {
    const excess = lengthOf(result, style) - most;
    if (excess <= 0) break;
    const part = result[index] as Part;
    // In ASCII, the mark of a cut needs two columns more.
    const room = Math.max(part.shrinks ? LEAST : 0, columnsOf(part.text) - excess - (style.isAscii ? 2 : 0));
    const cut = part.shrinks === "path" ? cutPath(part.text, room) : cutEnd(part.text, room);
    result[index] = { ...part, text: style.plain(cut) };
  }
  return result.filter(({ text }) => text !== "");
}

/** Parts that can be shortened keep this many columns as long as others can still be cut. */
const LEAST = 4;
