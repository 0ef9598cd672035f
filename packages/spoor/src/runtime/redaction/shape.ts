/**
 * The pattern of a secret, as a sequence of parts. Matching never backtracks: a run takes every character of its class, so
 * each step depends on the next character only. So matching is linear, and for a stream it can answer "more text needed".
 */
export interface Shape {
  /** Appears in the replacement. */
  readonly name: string;
  /** The first part is a text of at least three characters, by which the finder finds the shape. */
  readonly parts: readonly [TextPart, ...Part[]];
  /**
   * Whether the shape may follow a letter or a digit. By default it may not. With "all" it may, and is replaced as anywhere
   * else. With "rest" it may, and its first characters stay (see `STAY`), so that a stream need not hold back the last
   * letter of every piece.
   */
  readonly inWord?: "all" | "rest";
}

export type Part = TextPart | RunPart | UntilPart | ValuePart;

/** The first of these texts that matches. */
export interface TextPart {
  readonly kind: "text";
  readonly any: readonly string[];
  readonly secret?: true;
}

export interface RunPart {
  readonly kind: "run";
  readonly chars: CharacterClass;
  readonly min: number;
  /** A longer run is cut here. */
  readonly max: number;
  /** It must contain two of lower case, upper case and digits, because words contain one. */
  readonly mixed?: true;
  /** The run ends before the last occurrence of this character, which must be in it. */
  readonly last?: string;
  readonly accepts?: (run: string) => boolean;
  /** Rejects by the first characters, so that a stream need not wait for the end of the run. */
  readonly rejects?: (begun: string) => boolean;
  /** Only this part is replaced. When no part has the flag, the whole match is. */
  readonly secret?: true;
}

/** Everything up to and including a text. */
interface UntilPart {
  readonly kind: "until";
  readonly text: string;
  readonly max: number;
  readonly secret?: true;
}

/** A value after a separator: up to the closing quote if the separator ends with a quote, else a run of `chars`. */
export interface ValuePart {
  readonly kind: "value";
  readonly chars: CharacterClass;
  readonly max: number;
  /** `next` is the character after the value, "" at the end of the text. */
  readonly accepts: (value: string, separator: string, next: string) => boolean;
  readonly secret: true;
}

/** Indexed by character code; the last entry is for all characters beyond ASCII. */
export type CharacterClass = Uint8Array;

export function charactersOf(members: string, withOthers = false): CharacterClass {
  const table = new Uint8Array(129);
  for (const character of members) table[character.charCodeAt(0)] = 1;
  if (withOthers) table[128] = 1;
  return table;
}

export interface Match {
  /** The range to replace. */
  from: number;
  to: number;
}

/** How many characters of a secret that begins inside a word are not replaced. */
export const STAY = 2;

/** Whether the first characters of a match stay: those of a match inside a word, and those of a name before a secret. */
export const staysAt = (shape: Shape, isInside: boolean): boolean =>
  shape.inWord === "rest" && (isInside || isNamed(shape));

/** Whether the shape begins with a name that is not part of the secret. */
export const isNamed = ({ parts }: Shape): boolean => parts.some(({ secret }) => secret);

/** Matches the shape at an index. Returns the range, undefined for no match, or "more" when more text is needed to decide. */
export function matchShape(
  shape: Shape,
  text: string,
  at: number,
  isWhole: boolean,
  isInside: boolean,
): Match | "more" | undefined {
  if (isInside && !shape.inWord) return undefined;
  let index = at;
  let before = at;
  let from = -1;
  let to = -1;
  for (const part of shape.parts) {
    const end = endOf(part, text, index, isWhole, before);
    if (end === NO) return undefined;
    if (end === MORE) return "more";
    if (part.secret) {
      from = index;
      to = end;
    }
    before = index;
    index = end;
  }
  if (from === -1) return { from: isInside && shape.inWord === "rest" ? at + STAY : at, to: index };
  return { from, to };
}

const NO = -1;
const MORE = -2;

function endOf(part: Part, text: string, at: number, isWhole: boolean, before: number): number {
  if (part.kind === "text") return endOfText(part, text, at, isWhole);
  if (part.kind === "run") return endOfRun(part, text, at, isWhole);
  if (part.kind === "value") return endOfValue(part, text, at, isWhole, before);
  const reach = part.max + part.text.length;
  // Bounded: otherwise a text full of beginnings would be searched to its end for each of them.
  const found = text.slice(at, at + reach).indexOf(part.text);
  if (found !== -1) return at + found + part.text.length;
  return isWhole || text.length - at >= reach ? NO : MORE;
}

function endOfText({ any }: TextPart, text: string, at: number, isWhole: boolean): number {
  const left = text.length - at;
  for (const literal of any) {
    if (text.startsWith(literal, at)) return at + literal.length;
    if (!isWhole && left < literal.length && literal.startsWith(text.slice(at))) return MORE;
  }
  return NO;
}

function endOfRun(part: RunPart, text: string, at: number, isWhole: boolean): number {
  const end = runOf(part.chars, text, at, part.max);
  if (part.rejects?.(text.slice(at, Math.min(end, at + CHECKED_LENGTH)))) return NO;
  if (end === text.length && end - at < part.max && !isWhole) return MORE;
  const cut = part.last === undefined ? end : at + text.slice(at, end).lastIndexOf(part.last);
  if (cut - at < part.min) return NO;
  if (part.mixed && !isMixed(text, at, cut)) return NO;
  return part.accepts && !part.accepts(text.slice(at, cut)) ? NO : cut;
}

function endOfValue(part: ValuePart, text: string, at: number, isWhole: boolean, before: number): number {
  const quote = text.charCodeAt(at - 1);
  const isQuoted = quote === 34 || quote === 39 || quote === 96;
  let end = isQuoted ? quotedOf(quote, text, at, part.max) : runOf(part.chars, text, at, part.max);
  if (end === text.length && end - at < part.max && !isWhole) return MORE;
  const next = text.charAt(end);
  if (isQuoted && next !== "" && next < " ") return NO;
  // If the quote was escaped, the backslashes before it are not part of the value.
  if (isQuoted) while (end > at && text.charCodeAt(end - 1) === 92) end -= 1;
  return part.accepts(text.slice(at, end), text.slice(before, at), next) ? end : NO;
}

function runOf(chars: CharacterClass, text: string, at: number, max: number): number {
  const limit = Math.min(text.length, at + max);
  let index = at;
  while (index < limit && chars[Math.min(text.charCodeAt(index), 128)] === 1) index += 1;
  return index;
}

/** The index of the closing quote, or of the end of the line. */
function quotedOf(quote: number, text: string, at: number, max: number): number {
  const limit = Math.min(text.length, at + max);
  let index = at;
  for (; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === quote || code < 32) return index;
  }
  return index;
}

/** Only the start of a long run is checked. */
const CHECKED_LENGTH = 256;

function isMixed(text: string, at: number, end: number): boolean {
  let kinds = 0;
  for (let index = at; index < Math.min(end, at + CHECKED_LENGTH); index++) {
    const code = text.charCodeAt(index);
    if (code >= 97 && code <= 122) kinds |= 1;
    else if (code >= 65 && code <= 90) kinds |= 2;
    else if (code >= 48 && code <= 57) kinds |= 4;
    if (kinds === 3 || kinds > 4) return true;
  }
  return false;
}
