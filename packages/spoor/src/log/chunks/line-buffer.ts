import type { Lines } from "../lines.ts";

/** So large that making one is rare; what is kept of it keeps no more than this in memory. */
const SLAB_BYTES = 512 * 1024;

/** Something that knows how long it is and where it can be copied from. */
interface Line {
  readonly bytes: number;
  copyTo(target: Buffer, offset: number): number;
}

/** Puts lines one after the other into large buffers, out of which pieces are cut. */
export class LineBuffer {
  #slab = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  /** Used again for every piece: the first so many count. */
  readonly #ends: number[] = [];
  #lines = 0;

  /** Of lines that were not taken nobody wants to know any more. */
  begin(): void {
    this.#start = this.#end;
    this.#lines = 0;
  }

  /** Of the lines since the last piece. */
  get bytes(): number {
    return this.#end - this.#start;
  }

  add(line: Line): void {
    if (this.#end + line.bytes > this.#slab.length) this.#makeRoom(line.bytes);
    this.#end += line.copyTo(this.#slab, this.#end);
    this.#ends[this.#lines++] = this.bytes;
  }

  /** The lines since the last piece. */
  take(): { bytes: Buffer; lines: Lines } {
    const bytes = this.#slab.subarray(this.#start, this.#end);
    const ends = this.#ends.slice(0, this.#lines);
    this.begin();
    return { bytes, lines: { ends: () => ends, first: 0, offset: 0 } };
  }

  /** A piece does not span two slabs. */
  #makeRoom(bytes: number): void {
    const begun = this.#slab.subarray(this.#start, this.#end);
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (begun.length + bytes)));
    this.#start = 0;
    this.#end = begun.copy(this.#slab);
  }
}
