import { visibleOutput } from "../output/visible.ts";

/** The last lines of a command's output, and how many there were. */
export class OutputTail {
  #lines: string[] = [];
  #begun = "";
  #count = 0;

  push(text: string): void {
    const lines = `${this.#begun}${text}`.split("\n");
    // A line that never ends must not fill the memory. Its last state is all that counts.
    this.#begun = (lines.pop() ?? "").slice(-LONGEST_BEGUN);
    this.#count += lines.length;
    this.#lines.push(...lines.slice(-MOST_KEPT));
    if (this.#lines.length > MOST_KEPT) this.#lines.splice(0, this.#lines.length - MOST_KEPT);
  }

  get count(): number {
    return this.#count + (this.#begun === "" ? 0 : 1);
  }

  /** The last lines, at most `most` of them. */
  last(most: number): string[] {
    if (most <= 0) return [];
    const lines = this.#begun === "" ? this.#lines : [...this.#lines, this.#begun];
    return lines.slice(-most).map(visibleOutput);
  }
}

/** With `--output all`, more than this is left to `spoor show`. */
export const MOST_KEPT = 5_000;
const LONGEST_BEGUN = 64 * 1024;
