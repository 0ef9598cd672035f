// Imports this module alone: the whole library loads twenty modules at every start.
import { createTwoFilesPatch } from "diff/lib/patch/create.js";

/**
 * The unified diff between two texts of a file, with `a/` and `b/` before the path.
 *
 * @example
 * const diff = unifiedDiff("src/a.ts", "one\n", "two\n"); // "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-one\n+two\n"
 */
export function unifiedDiff(path: string, before: string, after: string): string {
  const name = path.replace(/^\/+/, "");
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, { context: 3 });
  // The library starts with a line of equals signs, which no tool needs.
  return patch.replace(/^=+\n/, "");
}

/**
 * The diff of a part of a file. Its line numbers are those of the part, not of the file. Empty if one of the texts is
 * missing.
 */
export function diffsOfFragment(path: string, before: unknown, after: unknown): string[] {
  if (typeof before !== "string" || typeof after !== "string") return [];
  return [unifiedDiff(path, ended(before), ended(after))];
}

/** A part is followed by more of the file, so it ends with a line break. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** One hunk of a unified diff. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each line begins with ` `, `+` or `-`. */
  lines: readonly string[];
}

/** The file names before the hunks. `before` is the old name of a file that was moved. */
export const diffHeader = (path: string, before = path): string =>
  `--- a/${before.replace(/^\/+/, "")}\n+++ b/${path.replace(/^\/+/, "")}\n`;

/** A unified diff from hunks that the agent sends. */
export function diffOfHunks(path: string, hunks: readonly Hunk[]): string {
  const body = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.map((line) => `${line}\n`).join("")}`,
  );
  return `${diffHeader(path)}${body.join("")}`;
}

/** A hunk of lines with their signs; the starts are line numbers in the old and the new file. */
export function hunkOfLines(oldStart: number, newStart: number, lines: readonly string[]): Hunk {
  const count = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).length;
  return { oldStart, oldLines: count(" -"), newStart, newLines: count(" +"), lines };
}

/** A unified diff of lines with their signs, for agents that do not say where in the file they are. */
export function diffOfLines(path: string, lines: readonly string[]): string {
  const signed = lines.map((line) => (/^[ +-]/.test(line) ? line : ` ${line}`));
  return diffOfHunks(path, [hunkOfLines(1, 1, signed)]);
}
