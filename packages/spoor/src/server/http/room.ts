/** Enough for most pages. */
const SIZE = 256 * 1024;
const MOST = 8;
const empty: Buffer[] = [];

/**
 * Memory to put an answer together in. It is used again for the next one: what is taken anew for each costs more, in the
 * system and in the collector, than the answer itself.
 */
export class Room {
  #memory = empty.pop() ?? Buffer.allocUnsafeSlow(SIZE);
  #length = 0;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /** Puts bytes at the end; returns the copy. */
  add(bytes: Buffer): Buffer {
    const start = this.#length;
    this.#grow(bytes.length);
    bytes.copy(this.#memory, start);
    return this.#memory.subarray(start, this.#length);
  }

  /** Takes so many bytes away from the end. */
  drop(count: number): void {
    this.#length -= count;
  }

  /** Nobody looks at its bytes any more. */
  giveBack(): void {
    if (this.#memory.length === SIZE && empty.length < MOST) empty.push(this.#memory);
    this.#memory = NOTHING;
    this.#length = 0;
  }

  #grow(count: number): void {
    this.#length += count;
    if (this.#length <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.#length);
    this.#memory.copy(larger);
    this.#memory = larger;
  }
}

const NOTHING = Buffer.alloc(0);
