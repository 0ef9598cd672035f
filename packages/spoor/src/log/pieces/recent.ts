import type { Piece, Recent } from "../log.ts";
import { countUpTo, firstOf, lastOf, type Ranges } from "../ranges.ts";
import { createGrowth } from "./growth.ts";
import { cutOut } from "./pieces.ts";

/**
 * The newest pieces, in the order of positions and without a hole, up to a size. Readers share them; one that is far
 * behind finds nothing here and reads the store.
 */
export class RecentPieces implements Recent {
  readonly #all = new Trail(({ positions }) => positions);
  readonly #byRun = new Map<string, Trail>();
  readonly #maxBytes: number;
  readonly #grown = createGrowth();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Piece): void {
    if (!this.#all.isNext(piece)) this.clear();
    const ofRun = this.#byRun.get(piece.run_id) ?? new Trail(({ sequences }) => sequences);
    this.#byRun.set(piece.run_id, ofRun);
    // Earlier pieces of the run leave with the others, though they are of no use any more.
    if (!ofRun.isNext(piece)) ofRun.clear();
    const grown = ofRun.last && this.#grown(this.#all.last, piece);
    if (grown) {
      this.#all.replaceLast(grown);
      ofRun.replaceLast(grown);
      this.#bytes += piece.bytes.length;
    } else {
      this.#all.push(piece);
      ofRun.push(piece);
      this.#bytes += weightOf(piece);
    }
    // The newest stays, whatever its size.
    while (this.#bytes > this.#maxBytes && this.#all.length > 1) this.#dropOldest();
  }

  /** They are no longer what the store holds. */
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

/** A piece takes this much besides its bytes: of single events, which weigh less, tens of thousands would be kept. */
const PIECE_BYTES = 1_024;

const weightOf = ({ bytes }: Piece): number => bytes.length + PIECE_BYTES;

/** Pieces that follow each other without a hole. */
class Trail {
  readonly #places: (piece: Piece) => Ranges;
  #pieces: Piece[] = [];
  /** Those before this one have left. */
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

  get last(): Piece | undefined {
    return this.length > 0 ? this.#pieces.at(-1) : undefined;
  }

  isNext(piece: Piece): boolean {
    return this.length === 0 || this.#last(this.#pieces.length - 1) + 1 === firstOf(this.#places(piece));
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
  }

  replaceLast(piece: Piece): void {
    this.#pieces[this.#pieces.length - 1] = piece;
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

  /** The pieces after a cursor, if the one right after it, or the cursor itself, is among them. */
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
