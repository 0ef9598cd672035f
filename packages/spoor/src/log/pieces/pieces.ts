import { isLost } from "../gaps.ts";
import { type Lines, lineStart, linesWithin, pick } from "../lines.ts";
import type { Piece } from "../log.ts";
import { countOf, countUpTo, join, type Ranges, slice } from "../ranges.ts";

/** The part of a piece after a sequence. */
export function after(piece: Piece, sequence: number): Piece {
  const skipped = countUpTo(piece.sequences, sequence);
  return skipped === 0 ? piece : cutOut(piece, skipped);
}

/** The lines of a piece from one index to before another. */
export function cutOut(piece: Piece, from: number, to = Number.POSITIVE_INFINITY): Piece {
  const { bytes, lines } = piece;
  const start = lines ? startOf(lines, from) : lineStart(bytes, from);
  const end = lines ? startOf(lines, to) : start + lineStart(bytes.subarray(start), to - from);
  return {
    run_id: piece.run_id,
    // An end beyond the last line means the end of the bytes.
    bytes: bytes.subarray(start, end),
    sequences: slice(piece.sequences, from, to),
    positions: slice(piece.positions, from, to),
    ...(lines && { lines: { ends: lines.ends, first: lines.first + from, offset: lines.offset + start } }),
  };
}

/** The offset in a piece of the line with this index. */
function startOf({ ends, first, offset }: Lines, index: number): number {
  return index === 0 ? 0 : (ends()[first + index - 1] ?? Number.POSITIVE_INFINITY) - offset;
}

/** As many lines of a piece as fit, at least one. */
export function within(piece: Piece, maxLines: number, maxBytes: number): Piece {
  const count = countOf(piece.sequences);
  if (piece.bytes.length <= maxBytes && count <= maxLines) return piece;
  const fits = piece.lines
    ? countWithin(piece.lines, Math.min(count, maxLines), maxBytes)
    : linesWithin(piece.bytes, maxLines, maxBytes).lines;
  return fits === count ? piece : cutOut(piece, 0, fits);
}

function countWithin(lines: Lines, maxLines: number, maxBytes: number): number {
  let count = maxLines;
  while (count > 1 && startOf(lines, count) > maxBytes) count -= 1;
  return count;
}

/** The events of a piece that a filter accepts; undefined if there are none. Every reader receives `gap.events_lost`. */
export function matching(piece: Piece, match: ((type: string) => boolean) | undefined): Piece | undefined {
  if (!match || isLost(piece)) return piece;
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

/** The numbers at these indexes. */
const choose = (ranges: Ranges, indexes: Ranges): Ranges =>
  join(...indexes.map(([first, count]) => slice(ranges, first, first + count)));
