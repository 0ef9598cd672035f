import type { Piece, Recent } from "../log.ts";
import { countUpTo, firstOf, lastOf, type Ranges } from "../ranges.ts";
import { cutOut } from "./pieces.ts";

/**
 * Keeps the newest pieces in memory, in the order of positions and without a hole, up to a size. All readers share them; a
 * reader that is further behind reads the store. Bench `SSE to 100 readers`: 1.6× with it.
 */
export class RecentPieces implements Recent {
  readonly #all = new ConsecutivePieces(({ positions }) => positions);
  readonly #byRun = new Map<string, ConsecutivePieces>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Piece): void {
    if (!this.#all.isNext(piece)) this.clear();
    const ofRun = this.#byRun.get(piece.run_id) ?? new ConsecutivePieces(({ sequences }) => sequences);
    this.#byRun.set(piece.run_id, ofRun);
    // Earlier pieces of the run stay in `#all` until they are the oldest.
    if (!ofRun.isNext(piece)) ofRun.clear();
    this.#all.push(piece);
    ofRun.push(piece);
    this.#bytes += weightOf(piece);
    // The newest piece stays, whatever its size.
    while (this.#bytes > this.#maxBytes && this.#all.length > 1) this.#dropOldest();
  }

  /** Call it when the store no longer holds these events. */
  clear(): void {
    this.#all.clear();
    this.#byRun.clear();
    this.#bytes = 0;
  }

  after(run_id: string, sequence: number): readonly Piece[] | undefined {
    return this.#byRun.get(run_id)?.after(sequence);
  }

  afterPosition(position: number): readonly Piece[] | undefined {
    return this.#all.after(position);
  }

  #dropOldest(): void {
    const oldest = this.#all.shift() as Piece;
    this.#bytes -= weightOf(oldest);
    const ofRun = this.#byRun.get(oldest.run_id);
    if (ofRun?.first === oldest) ofRun.shift();
    if (ofRun?.length === 0) this.#byRun.delete(oldest.run_id);
  }
}

/** Roughly the memory that a piece takes in addition to its bytes. It limits the number of pieces with single events. */
const PIECE_BYTES = 1_024;

const weightOf = ({ bytes }: Piece): number => bytes.length + PIECE_BYTES;

/** Pieces that follow each other without a hole, found by binary search. */
class ConsecutivePieces {
  readonly #places: (piece: Piece) => Ranges;
  #pieces: Piece[] = [];
  /** Index of the first piece that is still held. */
  #start = 0;

  constructor(places: (piece: Piece) => Ranges) {
    this.#places = places;
  }

  get length(): number {
    return this.#pieces.length - this.#start;
  }

  get first(): Piece | undefined {
    return this.#pieces[this.#start];
  }

  isNext(piece: Piece): boolean {
    return this.length === 0 || this.#last(this.#pieces.length - 1) + 1 === firstOf(this.#places(piece));
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
  }

  shift(): Piece | undefined {
    const { first } = this;
    this.#start += 1;
    if (this.#start > 1_000 && this.#start * 2 > this.#pieces.length) {
      this.#pieces.splice(0, this.#start);
      this.#start = 0;
    }
    return first;
  }

  clear(): void {
    this.#pieces = [];
    this.#start = 0;
  }

  /** The pieces after a cursor; undefined if the event right after the cursor has left or has not come yet. */
  after(cursor: number): readonly Piece[] | undefined {
    const found = this.#firstAfter(cursor);
    const piece = this.#pieces[found];
    if (!piece) return this.length > 0 && this.#last(found - 1) === cursor ? [] : undefined;
    const skipped = countUpTo(this.#places(piece), cursor);
    if (skipped === 0 && firstOf(this.#places(piece)) !== cursor + 1) return undefined;
    return skipped === 0 ? this.#pieces.slice(found) : [cutOut(piece, skipped), ...this.#pieces.slice(found + 1)];
  }

  /** Index of the first piece that ends after the cursor. */
  #firstAfter(cursor: number): number {
    let low = this.#start;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#last(middle) > cursor) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #last(index: number): number {
    return lastOf(this.#places(this.#pieces[index] as Piece));
  }
}
