import { createFinder } from "./finder.ts";
import { type Earlier, type FoundSecret, replaced } from "./found.ts";
import { createHeldText, type HeldText } from "./held-text.ts";
import { matchShape, type Shape, STAY, staysAt } from "./shape.ts";
import { endsInEscape, isInsideWord, LOOK_BEHIND } from "./words.ts";

/** Finds and replaces secrets in texts. */
export interface Scanner {
  /** Replaces every secret in a text. */
  redact(text: string): string;
  /** Finds the secrets in a complete text. */
  look(text: string): FoundSecret[];
  /** Whether JSON may contain a secret, or the start of one at the end of a string. Few false positives, no false negatives. */
  mayHold(json: string): boolean;
  /** Redacts a text that arrives in pieces. The results add up to what `redact` returns for the whole text. */
  stream(): RedactionStream;
  /** Whether a text that may continue contains neither a secret nor the start of one. */
  isClear(text: string): boolean;
  /** Whether a secret may begin in the last characters of a clear text and continue in the next. */
  mayCross(before: string, text: string): boolean;
  /** Whether any string in JSON may continue such a secret, whatever came before. Few false positives, no false negatives. */
  mayGoOn(json: string): boolean;
  /** For successive values of a field, which may be pieces of one text or independent texts. */
  values(): HeldText;
}

/** Redacts a text that arrives in pieces. */
export interface RedactionStream {
  /** Returns what can be written now, and holds back what may be part of a secret. */
  push(piece: string): string;
  /** No more pieces follow: returns what was held back. */
  flush(): string;
  /** Whether text is held back. */
  readonly isHolding: boolean;
}

/** How much of a string in JSON is checked for a secret. Must not be less than the longest secret. */
const LOOK_AHEAD = 20_000;

/**
 * Scans from left to right. Where several shapes match at one place, the first in the list wins. The scan continues inside a
 * match, because a secret that directly follows another begins in what looks like the end of the first.
 */
export function createScanner(shapes: readonly Shape[]): Scanner {
  const { find, mayCross, mayGoOn } = createFinder(shapes);
  const shapesAt = groupByBeginning(shapes);

  function redact(text: string): string {
    return find(text, 0, true) === -1 ? text : replaced(text, look(text));
  }

  const look = (text: string): FoundSecret[] => scan(text, NOTHING_EARLIER, true).found;

  function scan(
    text: string,
    { start, cover, breaks }: Earlier,
    isWhole: boolean,
  ): { found: FoundSecret[]; held: number } {
    const found: FoundSecret[] = [];
    let covered = cover;
    let coveredFrom = start;
    const isStart = (at: number): boolean => at <= covered || (breaks?.has(at) ?? false);
    let held = text.length;
    // The first characters of some shapes stay, so such a match may begin in text already written.
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

  /** The secret at a place, or the index from which on text must be held back. */
  function matchAt(
    text: string,
    at: number,
    isWhole: boolean,
    isInside: boolean,
    isWritten: boolean,
  ): FoundSecret | number | undefined {
    let isWaiting = false;
    for (const shape of shapesAt(text, at)) {
      const stays = staysAt(shape, isInside);
      if (isWritten && !stays) continue;
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
    const decide = (piece: string, isWhole: boolean): string => {
      const { from, to, found } = text.push(piece, isWhole);
      return replaced(text.slice(from, to), found, from);
    };
    return {
      push(piece) {
        // The fast path for nearly every piece. Unless it ends in an escape, the text before can only make fewer words begin here.
        const { before } = text;
        if (!text.isHolding && find(piece, 0, false) === -1 && !endsInEscape(before) && !mayCross(before, piece)) {
          text.pass(piece);
          return piece;
        }
        return decide(piece, false);
      },
      flush: () => (text.isHolding ? decide("", true) : ""),
      get isHolding() {
        return text.isHolding;
      },
    };
  }

  const isClear = (text: string): boolean => find(text, 0, false) === -1;

  return { redact, look, mayHold, stream, isClear, mayCross, mayGoOn, values: () => createHeldText(scan, true) };
}

const NOTHING_EARLIER: Earlier = { start: 0, cover: -1 };

/** The shapes that may match at a place, by the first three characters; by the first one near the end of the text. */
function groupByBeginning(shapes: readonly Shape[]): (text: string, at: number) => readonly Shape[] {
  const groups = new Map<number, Shape[]>();
  for (const shape of shapes) {
    const beginnings = shape.parts[0].any.flatMap((text) => [text.charCodeAt(0), beginningOf(text, 0)]);
    for (const code of new Set(beginnings)) groups.set(code, [...(groups.get(code) ?? []), shape]);
  }
  return (text, at) => groups.get(text.length - at < 3 ? text.charCodeAt(at) : beginningOf(text, at)) ?? [];
}

/** A number above all character codes, so that both kinds of keys share a map. */
function beginningOf(text: string, at: number): number {
  const [a, b, c] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (((a & 127) << 14) | ((b & 127) << 7) | (c & 127)) + 65_536;
}
