import type { Signal } from "../../signal.ts";

type Kind = "text" | "thinking";

/**
 * The text of one model call. Each piece repeats all of the text so far, and the stored message repeats it once more.
 * Pieces are reported as they come; the message adds what was not streamed.
 */
export class StreamedText {
  readonly #kind: Kind;
  /** The texts of this call that were reported, by key. */
  #spans: { key: string; text: string }[] = [];
  #count = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Another model call begins. */
  reset(): void {
    this.#spans = [];
  }

  /** A piece of the item that it names, or else of the last item. */
  grow(item: string | undefined, text: string, isReplaced: boolean): Signal[] {
    const last = this.#spans.at(-1);
    const known = item === undefined ? last : this.#spans.find(({ key }) => key === item);
    if (known && text.startsWith(known.text)) {
      const delta = text.slice(known.text.length);
      known.text = text;
      return delta === "" ? [] : [{ kind: this.#kind, key: known.key, delta }];
    }
    // Reported text cannot be taken back. The assembler notes the difference between the pieces and the whole text.
    if (known && isReplaced) return text === "" ? [] : [this.#done(known.key, text)];
    if (text === "") return [];
    const key = item !== undefined && !known ? item : this.#newKey();
    this.#spans.push({ key, text });
    return [{ kind: this.#kind, key, delta: text }];
  }

  /** A whole text. */
  whole(text: string): Signal[] {
    if (text.trim() === "") return [];
    const same = this.#spans.find((span) => text.startsWith(span.text) || span.text.trim() === text.trim());
    if (same) {
      if (text.startsWith(same.text)) same.text = text;
      return [this.#done(same.key, same.text)];
    }
    const key = this.#newKey();
    this.#spans.push({ key, text });
    return [this.#done(key, text)];
  }

  #done(key: string, text: string): Signal {
    return { kind: this.#kind === "text" ? "textDone" : "thinkingDone", key, text };
  }

  #newKey(): string {
    this.#count += 1;
    return `${this.#kind}-${this.#count}`;
  }
}
