import type { Lines } from "../lines.ts";

/** So large that making one is rare; what is kept of it keeps no more than this in memory. */
const SLAB_BYTES = 512 * 1024;
const NEWLINE = 10;

/**
 * Encodes lines one after the other into large buffers, out of which pieces are cut. Joined first, one character beyond
 * Latin-1 would make the whole text slow to encode; here it does so to its own line.
 */
export class LineBuffer {
  #slab = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #ends: number[] = [];

  /** Of lines that were not taken nobody wants to know any more. */
  begin(): void {
    this.#start = this.#end;
    this.#ends = [];
  }

  add(line: string): void {
    // A UTF-16 unit becomes three bytes at most.
    if (this.#end + line.length * 3 >= this.#slab.length) this.#makeRoom(Buffer.byteLength(line) + 1);
    this.#end += this.#slab.write(line, this.#end);
    this.#slab[this.#end++] = NEWLINE;
    this.#ends.push(this.#end - this.#start);
  }

  /** The lines since the last piece, each with its newline. */
  take(): { bytes: Buffer; lines: Lines } {
    const bytes = this.#slab.subarray(this.#start, this.#end);
    const ends = this.#ends;
    this.begin();
    return { bytes, lines: { ends: () => ends, first: 0, offset: 0 } };
  }

  /** A piece does not span two slabs. */
  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#slab.length) return;
    const begun = this.#slab.subarray(this.#start, this.#end);
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (begun.length + bytes)));
    this.#start = 0;
    this.#end = begun.copy(this.#slab);
  }
}
