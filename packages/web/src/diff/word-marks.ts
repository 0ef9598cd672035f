import { diffWordsWithSpace } from "diff";

/** A part of a line, and whether it is what changed in it. */
export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/**
 * Marks the words that differ between a removed and an added line, for one of the two sides. Returns undefined where
 * marks would not help: the lines have little in common, or comparing them takes too long.
 */
export function wordMarks(old: string, next: string, side: "old" | "new"): Piece[] | undefined {
  if (old === next || old.length + next.length > MAX_CHARACTERS) return undefined;
  const parts = diffWordsWithSpace(old, next, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const common = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (common < LEAST_COMMON * Math.max(old.trim().length, next.trim().length)) return undefined;
  const pieces: Piece[] = [];
  for (const { added, removed, value } of parts) {
    if (side === "old" ? added : removed) continue;
    pieces.push({ text: value, isMarked: side === "old" ? removed : added });
  }
  return pieces;
}

const MAX_CHARACTERS = 2_000;
const MAX_EDITS = 120;
/** The share of the longer line that both lines must have in common. */
const LEAST_COMMON = 0.3;
