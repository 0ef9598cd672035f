import type { Found, Scan } from "./found.ts";
import { LOOK_BEHIND } from "./words.ts";

/**
 * A text that comes in pieces, of which the part that may still become a secret is held back. It is the one rule for
 * everything that streams: deltas, lines of output, and fields of frames. Places count from the beginning of the text.
 */
export interface HeldText {
  /** Takes the next piece, and decides as much as can be decided; all of it if nothing more comes. */
  push(piece: string, isWhole: boolean): Decided;
  /** Takes a piece that is known to hold nothing, while nothing is held. */
  pass(piece: string): void;
  /** Decided text, as long as it is still known: what was decided last is. */
  slice(from: number, to: number): string;
  /** The last characters that were decided. */
  readonly before: string;
  /** Up to where it is decided. */
  readonly decided: number;
  readonly isHolding: boolean;
}

/** The text between two places is decided: these are the secrets that are in it, or reach into it. */
export interface Decided {
  from: number;
  to: number;
  found: Found[];
}

/** `hasBreaks`: pieces may also be texts of their own, so that a word may begin with each. */
export function createHeldText(scan: Scan, hasBreaks: boolean): HeldText {
  /** What was decided last, and what is held. */
  let text = "";
  /** Where `text` begins. */
  let base = 0;
  let decided = 0;
  let cover = -1;
  /** Secrets that reach beyond what is decided. */
  let open: Found[] = [];
  let breaks: number[] = [];

  function push(piece: string, isWhole: boolean): Decided {
    forget();
    if (hasBreaks) breaks.push(base + text.length);
    text += piece;
    const earlier = {
      start: decided - base,
      cover: cover - base,
      ...(hasBreaks && { breaks: new Set(breaks.map((place) => place - base)) }),
    };
    const { found, held } = scan(text, earlier, isWhole);
    const from = decided;
    decided = base + held;
    const all = [...open, ...found.map((each) => ({ ...each, from: each.from + base, to: each.to + base }))];
    open = all.filter(({ to }) => to > decided);
    for (const { to } of all) cover = Math.max(cover, to);
    return { from, to: decided, found: all.filter((each) => each.from < decided) };
  }

  /** What came long before is not looked at again. */
  function forget(): void {
    const start = Math.max(0, decided - base - LOOK_BEHIND);
    text = text.slice(start);
    base += start;
    if (hasBreaks) breaks = breaks.filter((place) => place >= decided);
  }

  return {
    push,
    pass(piece) {
      text = piece.length >= LOOK_BEHIND ? piece : (text + piece).slice(-LOOK_BEHIND);
      decided += piece.length;
      base = decided - text.length;
    },
    slice: (from, to) => text.slice(from - base, to - base),
    get before() {
      return text.slice(Math.max(0, decided - base - LOOK_BEHIND), decided - base);
    },
    get decided() {
      return decided;
    },
    get isHolding() {
      return decided < base + text.length || open.length > 0;
    },
  };
}
