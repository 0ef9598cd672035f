/** Keeps the end of a growing text, in at most `limit` bytes of UTF-8, without cutting a character. */
export class Tail {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);
  #pieces: Buffer[] = [];
  #size = 0;
  #isTruncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    const piece = Buffer.from(text, "utf8");
    this.#pieces.push(piece);
    this.#size += piece.length;
    // The pieces are joined rarely, so that the cost of a long output stays linear.
    if (this.#size > 2 * this.#limit + 64 * 1024) this.#join();
  }

  read(): { text: string; isTruncated: boolean } {
    this.#join();
    return { text: this.#bytes.toString("utf8"), isTruncated: this.#isTruncated };
  }

  #join(): void {
    const all = Buffer.concat([this.#bytes, ...this.#pieces]);
    let start = Math.max(0, all.length - this.#limit);
    while (start > 0 && start < all.length && isInsideCharacter(all[start])) start += 1;
    this.#isTruncated ||= start > 0;
    this.#bytes = Buffer.from(all.subarray(start));
    this.#pieces = [];
    this.#size = this.#bytes.length;
  }
}

const isInsideCharacter = (byte: number | undefined): boolean => ((byte ?? 0) & 0b1100_0000) === 0b1000_0000;
