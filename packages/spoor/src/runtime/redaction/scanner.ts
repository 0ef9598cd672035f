import { createFinder } from "./finder.ts";
import { type Earlier, type Found, replaced } from "./found.ts";
import { createHeldText, type HeldText } from "./held-text.ts";
import { matchShape, type Shape, STAY, staysAt } from "./shape.ts";
import { endsInEscape, isInsideWord, LOOK_BEHIND } from "./words.ts";

export interface Scanner {
  /** The text with every secret replaced; the same text when there is none. */
  redact(text: string): string;
  /** The secrets in a whole text. */
  look(text: string): Found[];
  /** Whether there may be a secret, or the start of one at the end of a text, in JSON; rarely wrong, and misses nothing. */
  mayHold(json: string): boolean;
  /** For text that comes in pieces: what its pieces give, put together, is what `redact` gives for the whole. */
  stream(): RedactionStream;
  /** Whether a text that may go on holds nothing at all. */
  isClear(text: string): boolean;
  /** Whether a secret may begin in the last characters of one text and go on in the next, though the first is clear. */
  mayCross(before: string, text: string): boolean;
  /** Whether that may be so for any text in JSON, whatever stood before it; rarely wrong, and misses nothing. */
  mayGoOn(json: string): boolean;
  /** The same for values that follow each other: they may be pieces of one text, or texts of their own. */
  values(): HeldText;
}

export interface RedactionStream {
  /** What can be told by now. What may still become a secret is held back. */
  push(piece: string): string;
  /** Nothing more comes: what was held back. */
  flush(): string;
  /** Whether anything is held back. */
  readonly isHolding: boolean;
}

/** How much of a text in JSON is looked at, to tell whether it holds a secret: no less than the longest secret. */
const LOOK_AHEAD = 20_000;

/**
 * Looks from left to right; where several shapes stand, the one given first wins. Looking goes on inside what was found: a
 * secret that follows another without a gap begins in what looks like the end of the first.
 */
export function createScanner(shapes: readonly Shape[]): Scanner {
  const { find, mayCross, mayGoOn } = createFinder(shapes);
  const shapesAt = groupByBeginning(shapes);

  function redact(text: string): string {
    return find(text, 0, true) === -1 ? text : replaced(text, look(text));
  }

  const look = (text: string): Found[] => scan(text, NOTHING_EARLIER, true).found;

  function scan(text: string, { start, cover, breaks }: Earlier, isWhole: boolean): { found: Found[]; held: number } {
    const found: Found[] = [];
    let covered = cover;
    let coveredFrom = start;
    const isStart = (at: number): boolean => at <= covered || (breaks?.has(at) ?? false);
    let held = text.length;
    // What has its first characters stay may have begun in what was told.
    const first = Math.max(0, start - STAY);
    for (
      let at = find(text, first, isWhole, isStart);
      at !== -1 && at < held;
      at = find(text, at + 1, isWhole, isStart)
    ) {
      const isInside = !isStart(at) && isInsideWord(text, at);
      const match = matchAt(text, at, isWhole, isInside, at < start);
      if (match === undefined) continue;
      if (typeof match === "number") {
        held = Math.min(held, match);
        continue;
      }
      if (match.to <= Math.max(covered, start) && match.from >= coveredFrom) continue;
      found.push(match);
      if (match.to > covered) {
        covered = match.to;
        coveredFrom = match.from;
      }
    }
    return { found, held };
  }

  /** What stands at a place, or from where on the text is to be held back. */
  function matchAt(
    text: string,
    at: number,
    isWhole: boolean,
    isInside: boolean,
    isTold: boolean,
  ): Found | number | undefined {
    let isWaiting = false;
    for (const shape of shapesAt(text, at)) {
      const stays = staysAt(shape, isInside);
      if (isTold && !stays) continue;
      const match = matchShape(shape, text, at, isWhole, isInside);
      if (match === undefined) continue;
      if (match === "more") {
        if (!stays) return at;
        isWaiting ||= text.length - at > STAY;
      } else if (!isWaiting) return { ...match, name: shape.name };
    }
    return isWaiting ? at + STAY : undefined;
  }

  function mayHold(json: string): boolean {
    for (let at = find(json, 0, "json"); at !== -1; at = find(json, at + 1, "json")) {
      const start = Math.max(0, at - LOOK_BEHIND);
      const ahead = json.slice(start, at + LOOK_AHEAD);
      const end = ahead.indexOf('"', at - start + 1);
      const text = end === -1 ? ahead : ahead.slice(0, end);
      if (matchAt(text, at - start, false, isInsideWord(json, at), false) !== undefined) return true;
    }
    return false;
  }

  function stream(): RedactionStream {
    const text = createHeldText(scan, false);
    const told = (piece: string, isWhole: boolean): string => {
      const { from, to, found } = text.push(piece, isWhole);
      return replaced(text.slice(from, to), found, from);
    };
    return {
      push(piece) {
        // Nearly every piece. But for an escape, what came before can only take away a place where a word begins.
        const { before } = text;
        if (!text.isHolding && find(piece, 0, false) === -1 && !endsInEscape(before) && !mayCross(before, piece)) {
          text.pass(piece);
          return piece;
        }
        return told(piece, false);
      },
      flush: () => (text.isHolding ? told("", true) : ""),
      get isHolding() {
        return text.isHolding;
      },
    };
  }

  const isClear = (text: string): boolean => find(text, 0, false) === -1;

  return { redact, look, mayHold, stream, isClear, mayCross, mayGoOn, values: () => createHeldText(scan, true) };
}

const NOTHING_EARLIER: Earlier = { start: 0, cover: -1 };

/** The shapes that may begin as the text does at a place: by its first three characters, or by one where it ends. */
function groupByBeginning(shapes: readonly Shape[]): (text: string, at: number) => readonly Shape[] {
  const groups = new Map<number, Shape[]>();
  for (const shape of shapes) {
    const beginnings = shape.parts[0].any.flatMap((text) => [text.charCodeAt(0), beginningOf(text, 0)]);
    for (const code of new Set(beginnings)) groups.set(code, [...(groups.get(code) ?? []), shape]);
  }
  return (text, at) => groups.get(text.length - at < 3 ? text.charCodeAt(at) : beginningOf(text, at)) ?? [];
}

/** Greater than the code of any character. */
function beginningOf(text: string, at: number): number {
  const [a, b, c] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (((a & 127) << 14) | ((b & 127) << 7) | (c & 127)) + 65_536;
}
