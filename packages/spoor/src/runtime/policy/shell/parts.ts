import type { ShellWord } from "./word.ts";

/** One thing that a shell text does. */
export type ShellPart = { text: string } & (
  | {
      kind: "command";
      words: readonly ShellWord[];
      /** The same command in other words, for rules that ask or block. */
      also: readonly (readonly ShellWord[])[];
      /** A wrapper: only rules that ask or block count. */
      implied: boolean;
    }
  | { kind: "read" | "write" | "host"; word: ShellWord; weight: Weight }
  /** The folder in which later commands run. */
  | { kind: "folder"; word: ShellWord }
  | {
      kind: "opaque";
      reason: string;
      /** The text could not even be read, so nobody knows what it does. */
      unread: boolean;
    }
);

/**
 * How a path or an address counts. `full`: the command certainly uses it. `rules`: it does so as far as we know, so rules
 * that ask or block count. `mention`: it may only be a word, so only rules that block count.
 */
export type Weight = "full" | "rules" | "mention";

/** Collects parts. More than 64 are too many to judge. */
export class Parts {
  readonly list: ShellPart[] = [];
  readonly #max: number;

  constructor(max = 64) {
    this.#max = max;
  }

  add(part: ShellPart): void {
    if (this.list.length < this.#max) this.list.push(part);
    else if (this.list.length === this.#max) {
      this.list.push({ kind: "opaque", text: part.text, reason: `It has more than ${this.#max} parts.`, unread: true });
    }
  }

  opaque(text: string, reason: string, unread = false): void {
    this.add({ kind: "opaque", text, reason, unread });
  }
}
