import { createRests } from "./rests.ts";
import { isNamed, type Shape } from "./shape.ts";
import { isInsideWord } from "./words.ts";

export interface Finder {
  /**
   * The first index from `from` on where a shape may begin, or -1. May return false positives, never false negatives. With
   * `isWhole` false the text may continue after its end; with "json" every string in it may. `isStart` names further
   * places where a word begins.
   */
  find(text: string, from: number, isWhole: boolean | "json", isStart?: (at: number) => boolean): number;
  /** Whether a shape may begin inside a word in the last two characters of one piece and continue in the next. */
  mayCross(before: string, piece: string): boolean;
  /** Whether a string in the JSON may begin with the rest of such a shape. May return false positives, never false negatives. */
  mayGoOn(json: string): boolean;
}

/**
 * Runs over every character that is written. So it first looks up two characters in a small table, then three, then the
 * three after those, and only then checks whether a word begins there. Bench `redaction`: 3.1× with these tables instead of
 * a Map from three characters (the pairs give 1.75×, the three further characters 1.35×).
 */
export function createFinder(shapes: readonly Shape[]): Finder {
  /** Where shapes with this first character may stand. */
  const firsts = new Uint8Array(128);
  const pairs = new Uint8Array(128 * 128);
  /** Also contains first characters followed by a quote, which ends a string in JSON. */
  const pairsInJson = new Uint8Array(128 * 128);
  const triples = new Uint8Array(65_536);
  /** The fourth to sixth characters. */
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

  /** Whether one or two characters at the end of a text must be held back. Those that would stay anyway need not be. */
  function mayEnd(where: number, text: string, at: number, isStart: IsStart): boolean {
    if ((where & ~(NAME | SHORT)) === 0) return false;
    return (where & ANYWHERE) !== 0 || !isInsideWord(text, at) || (isStart?.(at) ?? false);
  }

  /** Whether the fourth to sixth characters match a shape, or the text ends before them. */
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
/** The name before a secret, whose first characters need not be held back. */
const NAME = 8;
/** Shorter than six characters. */
const SHORT = 16;

function whereMayStand(shape: Shape): number {
  if (shape.inWord === "all") return ANYWHERE;
  if (shape.inWord === undefined) return AT_WORD;
  return isNamed(shape) ? NAME : REST;
}

/** Whether it is the colon between a name and a value in JSON, or the last character of an escape such as `\n`. */
function isNoLetter(text: string, at: number, code: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (code === COLON) return before === QUOTE && text.charCodeAt(at - 2) !== COLON;
  return before === BACKSLASH && text.charCodeAt(at - 2) !== BACKSLASH;
}

const pair = (a: number, b: number): number => ((a & 127) << 7) | (b & 127);

/** A hash of three characters; collisions are rare and cause false positives only. */
const triple = (a: number, b: number, c: number): number => Math.imul((a << 14) ^ (b << 7) ^ c, 0x9e3779b1) >>> 16;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
