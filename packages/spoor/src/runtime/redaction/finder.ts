import { createRests } from "./rests.ts";
import { isTold, type Shape } from "./shape.ts";
import { isInsideWord } from "./words.ts";

export interface Finder {
  /**
   * The first index from `from` on where a shape may begin; -1 when none may. It may be wrong, but misses nothing. A text
   * that is not whole may go on after its end, and in `json` every text in it may. `isStart` names further places where a
   * word begins.
   */
  find(text: string, from: number, isWhole: boolean | "json", isStart?: (at: number) => boolean): number;
  /** Whether a shape may begin in the last two characters of one piece, inside a word, and go on in the next. */
  mayCross(before: string, piece: string): boolean;
  /** Whether a text in JSON may begin with the rest of such a shape. It may be wrong, but misses nothing. */
  mayGoOn(json: string): boolean;
}

/**
 * Looks at every character of everything that is written, so it is one plain loop over a small table of pairs: a shape
 * may begin where its first two characters stand, then its first three, and where a word begins unless it may stand inside
 * one.
 */
export function createFinder(shapes: readonly Shape[]): Finder {
  /** By first character. */
  const firsts = new Uint8Array(128);
  const pairs = new Uint8Array(128 * 128);
  /** The same, and what may be the only character of a shape before the end of a text in JSON. */
  const pairsInJson = new Uint8Array(128 * 128);
  const triples = new Uint8Array(65_536);
  /** The three characters after the first three. */
  const followers = new Uint8Array(65_536);
  const rests = createRests();
  for (const shape of shapes) {
    const where = whereMayStand(shape);
    if ((where & (REST | NAME)) !== 0) rests.add(shape);
    for (const text of shape.parts[0].any) {
      const [a, b, c] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
      firsts[a & 127] = (firsts[a & 127] ?? 0) | where;
      for (const table of [pairs, pairsInJson]) table[pair(a, b)] = (table[pair(a, b)] ?? 0) | where;
      pairsInJson[pair(a, QUOTE)] = (pairsInJson[pair(a, QUOTE)] ?? 0) | where;
      triples[triple(a, b, c)] = (triples[triple(a, b, c)] ?? 0) | where | (text.length < 6 ? SHORT : 0);
      followers[triple(text.charCodeAt(3), text.charCodeAt(4), text.charCodeAt(5))] = 1;
    }
  }

  type IsStart = ((at: number) => boolean) | undefined;

  /** A beginning of one or two characters at the end of a text: where they stay, they are not held back. */
  function mayEnd(where: number, text: string, at: number, isStart: IsStart): boolean {
    if ((where & ~(NAME | SHORT)) === 0) return false;
    return (where & ANYWHERE) !== 0 || !isInsideWord(text, at) || (isStart?.(at) ?? false);
  }

  /** Whether the next three characters are those of a shape, too, or not there. */
  function goesOn(where: number, text: string, at: number, isJson: boolean): boolean {
    if ((where & SHORT) !== 0 || at + 5 >= text.length) return true;
    const [d, e, f] = [text.charCodeAt(at + 3), text.charCodeAt(at + 4), text.charCodeAt(at + 5)];
    return followers[triple(d, e, f)] === 1 || (isJson && (d === QUOTE || e === QUOTE || f === QUOTE));
  }

  function mayBegin(where: number, text: string, at: number, isStart: IsStart): boolean {
    return (where & ~(AT_WORD | SHORT)) !== 0 || !isInsideWord(text, at) || (isStart?.(at) ?? false);
  }

  function find(text: string, from: number, isWhole: boolean | "json", isStart?: (at: number) => boolean): number {
    const isJson = isWhole === "json";
    const table = isJson ? pairsInJson : pairs;
    const last = text.length - 1;
    let a = text.charCodeAt(from);
    for (let at = from; at < last; at++) {
      const b = text.charCodeAt(at + 1);
      const where = table[((a & 127) << 7) | (b & 127)] ?? 0;
      if (where !== 0) {
        if (isJson && b === QUOTE) {
          if (!isNoLetter(text, at, a) && mayEnd(firsts[a & 127] ?? 0, text, at, isStart)) return at;
        } else if (at + 1 === last) {
          if (isWhole === false && mayEnd(where, text, at, isStart)) return at;
        } else {
          const c = text.charCodeAt(at + 2);
          if (isJson && c === QUOTE) {
            if (mayEnd(where, text, at, isStart)) return at;
          } else {
            const here = triples[triple(a, b, c)] ?? 0;
            if (here !== 0 && goesOn(here, text, at, isJson) && mayBegin(here, text, at, isStart)) return at;
          }
        }
      }
      a = b;
    }
    return last >= from && isWhole === false && mayEnd(firsts[a & 127] ?? 0, text, last, isStart) ? last : -1;
  }

  return {
    find,
    mayCross(before, piece) {
      const [a, b] = [before.charCodeAt(before.length - 2), before.charCodeAt(before.length - 1)];
      const [c, d] = [piece.charCodeAt(0), piece.charCodeAt(1)];
      const isIn = (where: number | undefined): boolean => ((where ?? 0) & (REST | NAME)) !== 0;
      return isIn(triples[triple(a, b, c)]) || (piece.length > 1 && isIn(triples[triple(b, c, d)]));
    },
    mayGoOn: rests.mayBeginIn,
  };
}

const AT_WORD = 1;
const REST = 2;
const ANYWHERE = 4;
/** Not a secret itself: its first characters need not be held back anywhere. */
const NAME = 8;
/** Shorter than six characters. */
const SHORT = 16;

function whereMayStand(shape: Shape): number {
  if (shape.inWord === "all") return ANYWHERE;
  if (shape.inWord === undefined) return AT_WORD;
  return isTold(shape) ? NAME : REST;
}

/** Whether it is the colon between a name and a text, or the last character of an escape such as `\n`. */
function isNoLetter(text: string, at: number, code: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (code === COLON) return before === QUOTE && text.charCodeAt(at - 2) !== COLON;
  return before === BACKSLASH && text.charCodeAt(at - 2) !== BACKSLASH;
}

const pair = (a: number, b: number): number => ((a & 127) << 7) | (b & 127);

/** Where three characters that follow each other have their place in a table; others rarely share it. */
const triple = (a: number, b: number, c: number): number => Math.imul((a << 14) ^ (b << 7) ^ c, 0x9e3779b1) >>> 16;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
