import { parseObject } from "../../agents/kit/json-values.ts";
import type { TapeLine } from "../../log/log.ts";
import { STAY } from "./shape.ts";
import { walkTexts } from "./values.ts";
import { LOOK_BEHIND } from "./words.ts";

/** Remembers the latest lines, so that the end of a text is known when a later line continues it. */
export interface LineHistory {
  add(line: TapeLine): void;
  /** The last characters of a field, joined over the latest frames of one source. */
  endBefore(from: TapeLine["from"], path: string): string;
}

/** Other frames may come between two parts of one text. */
const MAX_LINES = 8;
/** A longer line is not part of a stream of small pieces. */
const LONGEST_LINE = 65_536;
/** The longest start of a secret that may have been written, and the characters that show whether a word begins there. */
const LENGTH = LOOK_BEHIND + STAY;

/** Parses a line only when it is asked for, and only once. */
export function createLineHistory(): LineHistory {
  const lines: { line: TapeLine; ends?: ReadonlyMap<string, string> }[] = [];
  return {
    add(line) {
      if (line.text.length > LONGEST_LINE) return;
      if (lines.push({ line }) > MAX_LINES) lines.shift();
    },
    endBefore(from, path) {
      let end = "";
      for (let index = lines.length - 1; index >= 0 && end.length < LENGTH; index--) {
        const entry = lines[index] as (typeof lines)[number];
        if (entry.line.from !== from) continue;
        entry.ends ??= endsOf(entry.line);
        end = (entry.ends.get(path) ?? "") + end;
      }
      return end.slice(-LENGTH);
    },
  };
}

function endsOf({ from, text }: TapeLine): ReadonlyMap<string, string> {
  const ends = new Map<string, string>();
  const frame = parseObject(text) as Record<string, unknown> | undefined;
  if (frame) walkTexts(frame, from, (path, value) => void ends.set(path, value.slice(-LENGTH)));
  return ends;
}
