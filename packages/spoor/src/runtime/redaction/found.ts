/** A secret in a text: its place, and the name that appears in the replacement. */
export interface FoundSecret {
  from: number;
  to: number;
  name: string;
}

/** Facts about a text before the position where a scan begins. */
export interface Earlier {
  start: number;
  /** The end of the secrets found before. Another secret may begin inside one, or right after it, as if a word began there. */
  cover: number;
  /** Places where an independent text may begin. */
  breaks?: ReadonlySet<number>;
}

/**
 * Finds secrets up to `held`, from where on more text is needed to decide; `held` is the length of the text when no match is
 * undecided.
 */
export type Scan = (text: string, earlier: Earlier, isWhole: boolean) => { found: FoundSecret[]; held: number };

export const REPLACEMENT_START = "[redacted:";

/**
 * Replaces the secrets in a text. `base` is the place of its first character in the text that the secrets were found in. A
 * secret that began before `base` was replaced there, so the rest of it is only cut.
 */
export function replaced(text: string, found: readonly FoundSecret[], base = 0): string {
  let written = "";
  let at = 0;
  for (const { from, to, name } of found.toSorted((a, b) => a.from - b.from)) {
    if (to - base <= at) continue;
    if (from >= base + text.length) break;
    written += text.slice(at, Math.max(at, from - base));
    if (from >= base) written += `${REPLACEMENT_START}${name}]`;
    at = to - base;
  }
  return written + text.slice(at);
}
