import { MAX_ARTIFACT_BYTES } from "../artifacts/limits.ts";

/** Collects the output of one command. Of an endless one, only the beginning and the end are kept in memory. */
export class CommandOutput {
  /** Number of bytes so far, also of those that were dropped. */
  size = 0;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  readonly #tail: Buffer[] = [];
  #tailSize = 0;

  add(text: string): void {
    const bytes = Buffer.from(text);
    this.size += bytes.length;
    if (this.#headSize < HALF) {
      this.#head.push(bytes);
      this.#headSize += bytes.length;
      return;
    }
    this.#tail.push(bytes);
    this.#tailSize += bytes.length;
    while (this.#tailSize - (this.#tail[0]?.length ?? 0) > HALF) this.#tailSize -= this.#tail.shift()?.length ?? 0;
  }

  /** Whether a part of the output was dropped. */
  get isCut(): boolean {
    return this.size > this.#headSize + this.#tailSize;
  }

  /** The output. Where something was dropped, a line says how much. */
  content(): Buffer {
    const dropped = this.size - this.#headSize - this.#tailSize;
    const note = dropped > 0 ? [Buffer.from(`\n[${dropped} bytes left out]\n`)] : [];
    return Buffer.concat([...this.#head, ...note, ...this.#tail]);
  }
}

const HALF = MAX_ARTIFACT_BYTES / 2;
