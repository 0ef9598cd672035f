// This part alone: the whole library is twenty modules to open at every start.
import { createTwoFilesPatch } from "diff/lib/patch/create.js";

/** The unified diff from one text of a file to another, with `a/` and `b/` before the path. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const name = path.replace(/^\/+/, "");
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, { context: 3 });
  // The library opens with a rule of equals signs that no tool needs.
  return patch.replace(/^=+\n/, "");
}

/** The same of a piece of a file, whose line numbers are then not the file's; none where one of the texts is missing. */
export function diffsOfFragment(path: string, before: unknown, after: unknown): string[] {
  if (typeof before !== "string" || typeof after !== "string") return [];
  return [unifiedDiff(path, ended(before), ended(after))];
}

/** The file goes on where a piece of it ends. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** With their ` `, `+` or `-`. */
  lines: readonly string[];
}

/** The names of a file before its hunks; it may have had another one before. */
export const diffHeader = (path: string, before = path): string =>
  `--- a/${before.replace(/^\/+/, "")}\n+++ b/${path.replace(/^\/+/, "")}\n`;

/** A unified diff of hunks that an agent gives ready made. */
export function diffOfHunks(path: string, hunks: readonly Hunk[]): string {
  const body = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.map((line) => `${line}\n`).join("")}`,
  );
  return `${diffHeader(path)}${body.join("")}`;
}

/** Lines with their signs, from where they are in the file before and after. */
export function hunkOfLines(oldStart: number, newStart: number, lines: readonly string[]): Hunk {
  const count = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).length;
  return { oldStart, oldLines: count(" -"), newStart, newLines: count(" +"), lines };
}

/** A unified diff of lines with their signs, of an agent that does not say where in the file they are. */
export function diffOfLines(path: string, lines: readonly string[]): string {
  const signed = lines.map((line) => (/^[ +-]/.test(line) ? line : ` ${line}`));
  return diffOfHunks(path, [hunkOfLines(1, 1, signed)]);
}
