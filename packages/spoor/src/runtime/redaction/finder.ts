import { isInsideWord, mayPrecede, type Shape } from "./shape.ts";

/**
 * The first index from `from` on where a shape may begin; -1 when none may. It may be wrong, but misses nothing. A text
 * that is not whole may go on after its end, and in `json` every text in it may.
 */
export type Finder = (text: string, from: number, isWhole: boolean | "json") => number;

/**
 * Looks at every character of everything that is written, so it is one plain loop over tables: a shape may begin where
 * a word does or an escape may end, unless it is one that stands inside words too, and where its first three characters
 * are those of one.
 */
export function createFinder(shapes: readonly Shape[]): Finder {
  const firsts = new Uint8Array(SIZE);
  const pairs = new Uint8Array(SIZE);
  const triples = new Uint8Array(SIZE);
  /** By first character: 1 for those that begin a shape which may stand inside a word. */
  const anywhere = new Uint8Array(SIZE);
  for (const { parts, inWord } of shapes) {
    for (const text of parts[0].any) {
      const [a, b, c] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
      firsts[a & MASK] = 1;
      pairs[slot(0, a, b)] = 1;
      triples[slot(a, b, c)] = 1;
      if (inWord) anywhere[a & MASK] = 1;
    }
  }

  /** Compares what follows a first character that fits. */
  function mayBegin(text: string, at: number, a: number, isWhole: boolean | "json"): boolean {
    const goesOn = isWhole === false;
    const quote = isWhole === "json" ? QUOTE : -1;
    if (at + 1 >= text.length) return goesOn;
    const b = text.charCodeAt(at + 1);
    if (b === quote) return !isBetween(text, at, a);
    if (at + 2 >= text.length) return goesOn && pairs[slot(0, a, b)] === 1;
    const c = text.charCodeAt(at + 2);
    if (c === quote) return pairs[slot(0, a, b)] === 1;
    return triples[slot(a, b, c)] === 1;
  }

  return (text, from, isWhole) => {
    const { length } = text;
    let before = from > 0 ? text.charCodeAt(from - 1) : 0;
    for (let at = from; at < length; at++) {
      const a = text.charCodeAt(at);
      if (firsts[a & MASK] === 1 && (anywhere[a & MASK] === 1 || mayPrecede(before))) {
        if (mayBegin(text, at, a, isWhole) && (anywhere[a & MASK] === 1 || !isInsideWord(text, at))) return at;
      }
      before = a;
    }
    return -1;
  };
}

/** Whether it is the colon between a name and a text, not one at the end of a text. */
const isBetween = (text: string, at: number, code: number): boolean =>
  code === COLON && text.charCodeAt(at - 1) === QUOTE && text.charCodeAt(at - 2) !== COLON;

/** Where characters that follow each other have their place in a table; others rarely share it. */
const slot = (a: number, b: number, c: number): number => Math.imul((a << 14) ^ (b << 7) ^ c, 0x9e3779b1) >>> 16;

const SIZE = 65_536;
const MASK = SIZE - 1;
const QUOTE = 34;
const COLON = 58;
