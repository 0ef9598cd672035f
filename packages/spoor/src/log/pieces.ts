import { lineStart, linesWithin, pick } from "./lines.ts";
import type { Piece } from "./log.ts";
import { at, countOf, countUpTo, join, type Ranges, slice } from "./ranges.ts";

/** A piece without the lines up to a sequence. */
export function after(piece: Piece, sequence: number): Piece {
  const skipped = countUpTo(piece.sequences, sequence);
  return skipped === 0 ? piece : cutOut(piece, skipped);
}

/** The lines of a piece from one index to before another. */
export function cutOut(piece: Piece, from: number, to = Number.POSITIVE_INFINITY): Piece {
  const start = lineStart(piece.bytes, from);
  const rest = piece.bytes.subarray(start);
  return {
    run_id: piece.run_id,
    bytes: rest.subarray(0, lineStart(rest, to - from)),
    sequences: slice(piece.sequences, from, to),
    positions: slice(piece.positions, from, to),
  };
}

/** As much of a piece as fits, but at least its first line. */
export function within(piece: Piece, maxLines: number, maxBytes: number): Piece {
  if (piece.bytes.length <= maxBytes && countOf(piece.sequences) <= maxLines) return piece;
  const { lines, end } = linesWithin(piece.bytes, maxLines, maxBytes);
  if (end === piece.bytes.length) return piece;
  return {
    run_id: piece.run_id,
    bytes: piece.bytes.subarray(0, end),
    sequences: slice(piece.sequences, 0, lines),
    positions: slice(piece.positions, 0, lines),
  };
}

/** The events of a piece that a filter accepts; undefined when there are none. */
export function matching(piece: Piece, match: ((type: string) => boolean) | undefined): Piece | undefined {
  if (!match) return piece;
  const { bytes, picked } = pick(piece.bytes, match);
  if (bytes.length === 0) return undefined;
  if (bytes === piece.bytes) return piece;
  return {
    run_id: piece.run_id,
    bytes,
    sequences: choose(piece.sequences, picked),
    positions: choose(piece.positions, picked),
  };
}

/** The numbers at the indexes given. */
const choose = (ranges: Ranges, indexes: Ranges): Ranges =>
  join(...indexes.map(([first, count]) => slice(ranges, first, first + count)));

/** Sequence of a piece's line. */
export const sequenceAt = (piece: Piece, index: number): number => at(piece.sequences, index);
