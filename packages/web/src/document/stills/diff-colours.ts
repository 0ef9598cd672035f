import { useMemo } from "react";
import { Colours, coloursOf, type LineColours } from "../../diff/colours.ts";
import type { DiffFile } from "../../diff/parse-diff.ts";
import { highlight, languageOf } from "../../text/highlight.ts";

export { Colours };

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 100_000;

/** The colours of the lines of a diff, at once. Long diffs stay in one colour. */
export function useColours(file: DiffFile, path: string): LineColours {
  return useMemo(() => {
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    const size = lines.reduce((sum, { text }) => sum + text.length, 0);
    if (lines.length > MAX_LINES || size > MAX_CHARACTERS) return new Map();
    return coloursOf(file, (text) => highlight(text, languageOf(path)));
  }, [file, path]);
}
