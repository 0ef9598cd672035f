import type { Piece } from "../log.ts";
import { countOf, join } from "../ranges.ts";

/** Up to this a piece grows. */
const MOST_BYTES = 16 * 1024;

/**
 * Makes one piece of the last one and one that follows it in its run and in memory, if that is small: what comes event by
 * event is kept in few objects, which a collector would else carry about by the thousand.
 */
export function createGrowth() {
  /** Of the piece that was made last. It is shared with those it grew from, which look at no more than their own lines. */
  let ends: number[] = [];

  return (last: Piece | undefined, piece: Piece): Piece | undefined => {
    if (!last?.lines || !piece.lines || last.run_id !== piece.run_id || !isBehind(last.bytes, piece.bytes)) return;
    const { buffer, byteOffset, length } = last.bytes;
    if (length + piece.bytes.length > MOST_BYTES) return;
    if (last.lines.ends() !== ends) ends = endsOf(last);
    for (const end of endsOf(piece)) ends.push(length + end);
    const known = ends;
    return {
      run_id: piece.run_id,
      bytes: Buffer.from(buffer, byteOffset, length + piece.bytes.length),
      sequences: join(last.sequences, piece.sequences),
      positions: join(last.positions, piece.positions),
      lines: { ends: () => known, first: 0, offset: 0 },
    };
  };
}

const isBehind = (one: Buffer, other: Buffer): boolean =>
  one.buffer === other.buffer && one.byteOffset + one.length === other.byteOffset;

function endsOf({ sequences, lines }: Piece): number[] {
  const { ends, first, offset } = lines as NonNullable<Piece["lines"]>;
  const all = ends();
  return Array.from({ length: countOf(sequences) }, (_, line) => (all[first + line] as number) - offset);
}
