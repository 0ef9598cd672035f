// This part alone: the whole library is twenty modules to open at every start.
import { createTwoFilesPatch } from "diff/lib/patch/create.js";

/** The unified diff from one text of a file to another, with `a/` and `b/` before the path. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const name = path.replace(/^\/+/, "");
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, { context: 3 });
  // The library opens with a rule of equals signs that no tool needs.
  return patch.replace(/^=+\n/, "");
}

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

/** A unified diff of lines with their signs, of an agent that does not say where in the file they are. */
export function diffOfLines(path: string, lines: readonly string[]): string {
  const signed = lines.map((line) => (/^[ +-]/.test(line) ? line : ` ${line}`));
  const count = (signs: string) => signed.filter((line) => signs.includes(line.charAt(0))).length;
  return diffOfHunks(path, [{ oldStart: 1, oldLines: count(" -"), newStart: 1, newLines: count(" +"), lines: signed }]);
}
