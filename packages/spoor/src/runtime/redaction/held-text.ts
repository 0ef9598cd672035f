import type { FoundSecret, Scan } from "./found.ts";
import { LOOK_BEHIND } from "./words.ts";

/**
 * A text that arrives in pieces, and whose end is held back while it may be the start of a secret. Everything that streams
 * uses it: deltas, log lines, `debug` frames and raw lines. Indexes count from the beginning of the text.
 */
export interface HeldText {
  /** Adds a piece and decides as much of the text as possible. With `isWhole` no more follows, so all is decided. */
  push(piece: string, isWhole: boolean): Decided;
  /** Adds a piece that is known to be clear, while nothing is held back. */
  pass(piece: string): void;
  /** Decided text. Only what the last `push` decided is guaranteed to be available. */
  slice(from: number, to: number): string;
  /** The last decided characters. */
  readonly before: string;
  /** The index up to which the text is decided. */
  readonly decided: number;
  readonly isHolding: boolean;
}

/** A part of the text that is decided, with the secrets that overlap it. */
export interface Decided {
  from: number;
  to: number;
  found: FoundSecret[];
}

/** With `hasBreaks`, each piece may also be an independent text, so a word may begin with it. */
export function createHeldText(scan: Scan, hasBreaks: boolean): HeldText {
  /** The last decided characters and the held ones. */
  let text = "";
  /** The index of the first character of `text`. */
  let base = 0;
  let decided = 0;
  let cover = -1;
  /** Secrets that end beyond the decided part. */
  let open: FoundSecret[] = [];
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

  /** Drops decided text that no later scan reads. */
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
