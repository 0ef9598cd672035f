import type { Writable } from "node:stream";
import { terminalSafe } from "./terminal-safe.ts";

/**
 * Prints a diff. A terminal gets colours, and control characters in the text are escaped; a pipe or a file gets the exact
 * bytes, so that `git apply` can read them. `NO_COLOR` turns the colours off.
 */
export function printDiff(output: Writable & { isTTY?: boolean }, diff: Buffer, { numbered = false } = {}): void {
  if (!output.isTTY) {
    output.write(diff);
    return;
  }
  const paint = process.env.NO_COLOR ? (_: string, text: string) => text : painted;
  let hunk = 0;
  const lines = diff.toString("utf8").replace(/\n$/, "").split("\n");
  for (const line of diff.length === 0 ? [] : lines) {
    if (line.startsWith("diff --git ")) hunk = 0;
    // A carriage return at the end of a line is part of the file.
    const text = terminalSafe(line);
    if (numbered && line.startsWith("@@ ")) output.write(`${paint(line, `${text} [hunk ${hunk++}]`)}\n`);
    else output.write(`${paint(line, text)}\n`);
  }
}

/** The colour of a line by how it begins. */
const colours: readonly [start: RegExp, code: number][] = [
  [/^(diff|index|new file|deleted file|old mode|new mode|--- |\+\+\+ |#)/, 1],
  [/^@@ /, 36],
  [/^\+/, 32],
  [/^-/, 31],
];

function painted(line: string, text: string): string {
  const code = colours.find(([start]) => start.test(line))?.[1];
  return code === undefined ? text : `\u001b[${code}m${text}\u001b[0m`;
}
