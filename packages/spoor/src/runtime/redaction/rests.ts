import type { CharacterClass, Shape } from "./shape.ts";

interface Rest {
  text: string;
  /** The characters that may follow. */
  next: CharacterClass;
}

/** The prefixes of shapes without their first one or two characters, which may have been written with an earlier line. */
export function createRests() {
  const firsts = new Uint8Array(128);
  const byPair = new Map<number, Rest[]>();
  /** Which pairs of characters `byPair` has; a lookup in it for each string would take longer than all else here. */
  const pairs = new Uint8Array(128 * 256);

  function add(text: string, shape: Shape): void {
    const next = followersOf(shape);
    firsts[text.charCodeAt(0) & 127] = 1;
    const seconds = text.length > 1 ? [text.charCodeAt(1)] : [...next.keys()].filter((code) => next[code] === 1);
    for (const second of seconds) {
      const key = keyOf(text.charCodeAt(0), second);
      byPair.set(key, [...(byPair.get(key) ?? []), { text, next }]);
      pairs[key & PAIRS] = 1;
    }
  }

  function mayStandAt(json: string, at: number, a: number, b: number): boolean {
    if (b === QUOTE) return firsts[a & 127] === 1;
    return byPair.get(keyOf(a, b))?.some((rest) => fits(rest, json, at)) ?? false;
  }

  return {
    /** Adds the rests of every text that a shape may begin with. */
    add(shape: Shape): void {
      for (const text of shape.parts[0].any) for (const written of [1, 2]) add(text.slice(written), shape);
    },
    /** Whether any string in the JSON may begin with a rest or with part of one. May return false positives, never false negatives. */
    mayBeginIn(json: string): boolean {
      for (let quote = json.indexOf('"'); quote !== -1; quote = json.indexOf('"', quote + 1)) {
        const a = json.charCodeAt(quote + 1);
        const b = json.charCodeAt(quote + 2);
        if (b !== QUOTE && pairs[keyOf(a, b) & PAIRS] === 0) continue;
        if (mayStandAt(json, quote + 1, a, b) && !isNameOrEscaped(json, quote)) return true;
      }
      return false;
    },
  };
}

/** The string may also end before the rest does. */
function fits({ text, next }: Rest, json: string, at: number): boolean {
  for (let index = 0; index <= text.length; index++) {
    const code = json.charCodeAt(at + index);
    if (code === QUOTE || code === BACKSLASH) return true;
    if (index === text.length) return next[Math.min(code, 128)] === 1;
    if (code !== text.charCodeAt(index)) return false;
  }
  return false;
}

/** The characters that may follow the first text of a shape. */
function followersOf({ parts }: Shape): CharacterClass {
  const next = new Uint8Array(129);
  next[BACKSLASH] = 1;
  for (const part of parts.slice(1)) {
    if (part.kind === "text") for (const text of part.any) next[Math.min(text.charCodeAt(0), 128)] = 1;
    else if (part.kind === "until") return next.fill(1);
    else for (const [code, is] of part.chars.entries()) next[code] ||= is;
    if (part.kind !== "run" || part.min > 0) break;
  }
  return next;
}

/** Whether the string at this quote is the name of a field, or the quote is an escaped one inside a string. */
function isNameOrEscaped(json: string, quote: number): boolean {
  if (json.charCodeAt(quote - 1) === BACKSLASH) return true;
  const end = json.indexOf('"', quote + 1);
  return json.charCodeAt(end + 1) === COLON && json.charCodeAt(end - 1) !== BACKSLASH;
}

/** The size of the table of pairs, less one. Characters beyond ASCII may seem to be others there. */
const PAIRS = 128 * 256 - 1;

const keyOf = (a: number, b: number): number => (a << 8) | Math.min(b, 128);

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
