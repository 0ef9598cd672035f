import { createFinder } from "./finder.ts";
import { endsInEscape, LOOK_BEHIND, type Match, matchShape, type Shape } from "./shape.ts";

export interface Scanner {
  /** The text with every secret replaced; the same text when there is none. */
  redact(text: string): string;
  /** Where the secrets are, and from where on the text may go on to become one: its length when it cannot. */
  look(text: string, isWhole: boolean): { found: Found[]; held: number };
  /** Whether there may be a secret, or the start of one at the end of a text, in JSON; rarely wrong, and misses nothing. */
  mayHold(json: string): boolean;
  /** For text that comes in pieces: what its pieces give, put together, is what `redact` gives for the whole. */
  stream(): RedactionStream;
}

export interface RedactionStream {
  /** What can be told by now. What may still become a secret is held back. */
  push(piece: string): string;
  /** Nothing more comes: what was held back. */
  flush(): string;
  /** Whether anything is held back. */
  readonly isHolding: boolean;
}

export interface Found {
  from: number;
  to: number;
  name: string;
}

/** How much of a text in JSON is looked at, to tell whether it holds a secret: no less than the longest secret. */
const LOOK_AHEAD = 20_000;

export const REPLACEMENT_START = "[redacted:";

/** Looks from left to right; where several shapes stand, the one given first wins. */
export function createScanner(shapes: readonly Shape[]): Scanner {
  const find = createFinder(shapes);
  const shapesByFirst = groupByFirst(shapes);

  function redact(text: string): string {
    return find(text, 0, true) === -1 ? text : replaced(text, scan(text, 0, true).found);
  }

  /** Looks at the text from `start` on, up to where more must come first. */
  function scan(text: string, start: number, isWhole: boolean): { found: Found[]; held: number } {
    const found: Found[] = [];
    for (let at = find(text, start, isWhole); at !== -1; ) {
      const match = matchAt(text, at, isWhole);
      if (match === "more") return { found, held: at };
      if (match) found.push(match);
      at = find(text, match ? match.next : at + 1, isWhole);
    }
    return { found, held: text.length };
  }

  function matchAt(text: string, at: number, isWhole: boolean): (Match & { name: string }) | "more" | undefined {
    for (const shape of shapesByFirst.get(text.charCodeAt(at)) ?? []) {
      const match = matchShape(shape, text, at, isWhole);
      if (match === "more") return match;
      if (match) return { ...match, name: shape.name };
    }
    return undefined;
  }

  function mayHold(json: string): boolean {
    for (let at = find(json, 0, "json"); at !== -1; at = find(json, at + 1, "json")) {
      const start = Math.max(0, at - LOOK_BEHIND);
      const ahead = json.slice(start, at + LOOK_AHEAD);
      const end = ahead.indexOf('"', at - start);
      if (matchAt(end === -1 ? ahead : ahead.slice(0, end), at - start, false)) return true;
    }
    return false;
  }

  function stream(): RedactionStream {
    /** Ends with what came right before; cut short only when it is needed. */
    let before = "";
    let held = "";
    const advance = (piece: string, isWhole: boolean): string => {
      const context = before.slice(-LOOK_BEHIND);
      const text = context + held + piece;
      const result = scan(text, context.length, isWhole);
      const told = replaced(text, result.found, context.length, result.held);
      before = text.slice(Math.max(0, result.held - LOOK_BEHIND), result.held);
      held = text.slice(result.held);
      return told;
    };
    return {
      push(piece) {
        // Nearly every piece. But for an escape, what came before can only take away a place where a shape may begin.
        if (held === "" && !endsInEscape(before) && find(piece, 0, false) === -1) {
          before = piece.length >= LOOK_BEHIND ? piece : (before + piece).slice(-LOOK_BEHIND);
          return piece;
        }
        return advance(piece, false);
      },
      flush: () => (held === "" ? "" : advance("", true)),
      get isHolding() {
        return held !== "";
      },
    };
  }

  return {
    redact,
    stream,
    look: (text, isWhole) => scan(text, 0, isWhole),
    mayHold,
  };
}

/** The text between two places, with what was found replaced. */
export function replaced(text: string, found: readonly Found[], start = 0, end = text.length): string {
  let told = "";
  let at = start;
  for (const { from, to, name } of found) {
    told += `${text.slice(at, from)}${REPLACEMENT_START}${name}]`;
    at = to;
  }
  return told + text.slice(at, end);
}

function groupByFirst(shapes: readonly Shape[]): Map<number, Shape[]> {
  const groups = new Map<number, Shape[]>();
  for (const shape of shapes) {
    for (const code of new Set(shape.parts[0].any.map((text) => text.charCodeAt(0)))) {
      groups.set(code, [...(groups.get(code) ?? []), shape]);
    }
  }
  return groups;
}
