/** How much of the agent's messages a result keeps, in characters. */
export const MAX_RESULT_TEXT: number = 16 * 1024 * 1024;

const SEPARATOR = "\n\n";

/** Joins the messages of a run and keeps the end of them, so that the memory of a result is bounded. */
export class ResultText {
  readonly #limit: number;
  readonly #messages: { turn: number; text: string }[] = [];
  readonly #retriedTurns = new Set<number>();
  /** Characters of the messages that are kept, each with a separator. */
  #length = 0;
  #dropped = 0;

  constructor(limit: number = MAX_RESULT_TEXT) {
    this.#limit = limit;
  }

  add(turn: number, text: string): void {
    if (this.#retriedTurns.has(turn)) return;
    const end = endOf(text, this.#limit);
    this.#dropped += text.length - end.length;
    this.#messages.push({ turn, text: end });
    this.#length += end.length + SEPARATOR.length;
    for (let [first] = this.#messages; first && this.#isFullWithout(first.text); [first] = this.#messages) {
      this.#messages.shift();
      this.#length -= first.text.length + SEPARATOR.length;
      this.#dropped += first.text.length + SEPARATOR.length;
    }
  }

  /** Drops the messages of a turn that is retried. */
  retry(turn: number): void {
    this.#retriedTurns.add(turn);
    for (let last = this.#messages.at(-1); last?.turn === turn; last = this.#messages.at(-1)) {
      this.#messages.pop();
      this.#length -= last.text.length + SEPARATOR.length;
    }
  }

  /** `cut` counts the characters that are missing at the start of `text`. */
  read(): { text: string; cut: number } {
    const joined = this.#messages.map(({ text }) => text).join(SEPARATOR);
    const text = endOf(joined, this.#limit);
    return { text, cut: this.#dropped + joined.length - text.length };
  }

  #isFullWithout({ length }: string): boolean {
    return this.#length - SEPARATOR.length - (length + SEPARATOR.length) >= this.#limit;
  }
}

function endOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(text.length - length);
  const isHalf = end.charCodeAt(0) >= 0xdc00 && end.charCodeAt(0) < 0xe000;
  // Encoding and decoding copies the characters; a slice would keep all of `text` in memory.
  return Buffer.from(isHalf ? end.slice(1) : end, "utf16le").toString("utf16le");
}
