import { createContext, useEffect, useState } from "react";
import type { ColouredPiece } from "../text/highlight.ts";
import type { DiffFile, DiffLine } from "./parse-diff.ts";

/** The coloured pieces of lines, as soon as they are known. */
export type LineColours = ReadonlyMap<DiffLine, readonly ColouredPiece[]>;

export const Colours = createContext<LineColours>(new Map());

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 200_000;

/** Colours the lines of a file after it is on the screen. Long diffs stay in one colour. */
export function useColours(file: DiffFile, path: string): LineColours {
  const [found, set] = useState<{ file: DiffFile; colours: LineColours }>();
  useEffect(() => {
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    const size = lines.reduce((sum, { text }) => sum + text.length, 0);
    if (lines.length === 0 || lines.length > MAX_LINES || size > MAX_CHARACTERS) return;
    let isCurrent = true;
    import("../text/highlight.ts")
      .then(({ highlight, languageOf }) => {
        if (!isCurrent) return;
        const colours = coloursOf(file, (text) => highlight(text, languageOf(path)));
        if (colours.size > 0) set({ file, colours });
      })
      // Without the chunk the code stays as it is: readable, in one colour.
      .catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [file, path]);
  return found?.file === file ? found.colours : none;
}

const none: LineColours = new Map();

/** Each side of a hunk is coloured as one text, so that comments and strings of several lines keep their colour. */
export function coloursOf(file: DiffFile, colour: (text: string) => ColouredPiece[] | undefined): LineColours {
  const colours = new Map<DiffLine, readonly ColouredPiece[]>();
  for (const { lines } of file.hunks) {
    for (const other of ["+", "-"]) {
      const side = lines.filter(({ sign }) => sign !== other);
      const pieces = colour(side.map(({ text }) => text).join("\n"));
      if (!pieces) return colours;
      for (const [index, own] of splitLines(pieces).entries()) {
        const line = side[index];
        if (line) colours.set(line, own);
      }
    }
  }
  return colours;
}

function splitLines(pieces: readonly ColouredPiece[]): ColouredPiece[][] {
  const lines: ColouredPiece[][] = [[]];
  for (const { text, className } of pieces) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, className });
    }
  }
  return lines;
}
