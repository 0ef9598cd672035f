import type { Piece, Recent } from "./log.ts";
import { cutOut } from "./pieces.ts";
import { countUpTo, firstOf, lastOf } from "./ranges.ts";

/**
 * The newest pieces, in the order of positions and without a hole, up to a size. Readers share them; one that is far
 * behind finds nothing here and reads the store.
 */
export class RecentPieces implements Recent {
  readonly #pieces: Piece[] = [];
  readonly #byRun = new Map<string, Piece[]>();
  readonly #maxBytes: number;
  #bytes = 0;
  #start = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
    const ofRun = this.#byRun.get(piece.run_id);
    if (ofRun) ofRun.push(piece);
    else this.#byRun.set(piece.run_id, [piece]);
    this.#bytes += piece.bytes.length;
    // The newest stays, whatever its size.
    while (this.#bytes > this.#maxBytes && this.#start < this.#pieces.length - 1) this.#dropOldest();
  }

  /** A run's pieces are no longer what the store holds. */
  drop(run_id: string): void {
    const dropped = new Set(this.#byRun.get(run_id));
    if (dropped.size === 0) return;
    this.#byRun.delete(run_id);
    const kept = this.#pieces.slice(this.#start).filter((piece) => !dropped.has(piece));
    this.#pieces.splice(0, this.#pieces.length, ...kept);
    this.#start = 0;
    this.#bytes = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  after(run_id: string, sequence: number): readonly Piece[] | undefined {
    return follow(this.#byRun.get(run_id) ?? [], 0, sequence, (piece) => piece.sequences);
  }

  afterPosition(position: number): readonly Piece[] | undefined {
    return follow(this.#pieces, this.#start, position, (piece) => piece.positions);
  }

  #dropOldest(): void {
    const oldest = this.#pieces[this.#start] as Piece;
    this.#start += 1;
    this.#bytes -= oldest.bytes.length;
    const ofRun = this.#byRun.get(oldest.run_id) as Piece[];
    if (ofRun.length === 1) this.#byRun.delete(oldest.run_id);
    else ofRun.shift();
    if (this.#start > 1_000 && this.#start * 2 > this.#pieces.length) {
      this.#pieces.splice(0, this.#start);
      this.#start = 0;
    }
  }
}

/** The pieces after a cursor, if the one right after it, or the cursor itself, is among them, and none is missing. */
function follow(
  pieces: readonly Piece[],
  from: number,
  cursor: number,
  places: (piece: Piece) => Piece["sequences"],
): readonly Piece[] | undefined {
  let found = pieces.length;
  let next = Number.NaN;
  // From the newest back: those who read live are near the end.
  for (let index = pieces.length - 1; index >= from; index--) {
    const piece = pieces[index] as Piece;
    const last = lastOf(places(piece));
    if (!Number.isNaN(next) && last + 1 !== next) return undefined;
    next = firstOf(places(piece));
    if (last <= cursor) return last === cursor ? pieces.slice(found) : undefined;
    found = index;
    if (next <= cursor + 1) return [tail(piece, places(piece), cursor), ...pieces.slice(index + 1)];
  }
  return undefined;
}

function tail(piece: Piece, places: Piece["sequences"], cursor: number): Piece {
  const skipped = countUpTo(places, cursor);
  return skipped === 0 ? piece : cutOut(piece, skipped);
}
