/**
 * What a secret looks like, as parts that follow each other. Matching never goes back: a run takes every character of its
 * class, so that each step is decided by the next character. That makes it linear, and lets a stream know whether what
 * it holds may still become a secret.
 */
export interface Shape {
  /** Stands in the replacement. */
  readonly name: string;
  /** Begins with a text of at least three characters, by which the shape is looked for. */
  readonly parts: readonly [TextPart, ...Part[]];
  /** It may follow a letter or a digit. */
  readonly inWord?: true;
}

export type Part = TextPart | RunPart | UntilPart;

/** One of these, the first that fits. */
interface TextPart {
  readonly kind: "text";
  readonly any: readonly string[];
  readonly secret?: true;
}

interface RunPart {
  readonly kind: "run";
  readonly chars: CharacterClass;
  readonly min: number;
  /** A longer run is something else. */
  readonly max: number;
  /** Of lower case, upper case and digits it must have two: words have one. */
  readonly mixed?: true;
  /** Only this part is taken out; when no part says so, all are. */
  readonly secret?: true;
}

/** Everything up to a text, and that. */
interface UntilPart {
  readonly kind: "until";
  readonly text: string;
  readonly max: number;
  readonly secret?: true;
}

/** By code; the last place, for all that are not ASCII, is never a member. */
export type CharacterClass = Uint8Array;

export function charactersOf(members: string): CharacterClass {
  const table = new Uint8Array(129);
  for (const character of members) table[character.charCodeAt(0)] = 1;
  return table;
}

export interface Match {
  /** What is taken out. */
  from: number;
  to: number;
  /** Where looking goes on. */
  next: number;
}

/** Whether the shape stands at an index: where, not at all, or not to be told before more text comes. */
export function matchShape(shape: Shape, text: string, at: number, isWhole: boolean): Match | "more" | undefined {
  if (!shape.inWord && isInsideWord(text, at)) return undefined;
  let index = at;
  let from = at;
  let to = -1;
  for (const part of shape.parts) {
    const end = endOf(part, text, index, isWhole);
    if (end === NO) return undefined;
    if (end === MORE) return "more";
    if (part.secret) {
      from = index;
      to = end;
    }
    index = end;
  }
  return { from, to: to === -1 ? index : to, next: index };
}

const NO = -1;
const MORE = -2;

function endOf(part: Part, text: string, at: number, isWhole: boolean): number {
  if (part.kind === "text") return endOfText(part, text, at, isWhole);
  if (part.kind === "run") return endOfRun(part, text, at, isWhole);
  const reach = part.max + part.text.length;
  // No further than it may be: a text full of beginnings would be searched to its end for each.
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
  const { chars, max } = part;
  // One more than may be: then it is known to be too long.
  const limit = Math.min(text.length, at + max + 1);
  let index = at;
  while (index < limit && chars[Math.min(text.charCodeAt(index), 128)] === 1) index += 1;
  if (index - at > max) return NO;
  if (index === text.length && !isWhole) return MORE;
  return isRun(part, text, at, index) ? index : NO;
}

function isRun({ min, mixed }: RunPart, text: string, at: number, end: number): boolean {
  if (end - at < min) return false;
  if (!mixed) return true;
  const run = text.slice(at, end);
  return Number(/[a-z]/.test(run)) + Number(/[A-Z]/.test(run)) + Number(/[0-9]/.test(run)) >= 2;
}

/** How many characters before an index `matchShape` may look at. */
export const LOOK_BEHIND = 24;

/** The end of an escape is no letter of a word: `\n` and `\u003c` in JSON, `%3D` in a URL, a colour in a terminal. */
export function isInsideWord(text: string, at: number): boolean {
  const before = at === 0 ? 0 : text.charCodeAt(at - 1);
  if (!isLetterOrDigit(before)) return false;
  return !mayPrecede(before) || !ESCAPE.test(text.slice(Math.max(0, at - LOOK_BEHIND), at));
}

const ESCAPE = /(?:\\(?:[nrtbf]|u[\da-f]{4}|x[\da-f]{2})|%[\da-f]{2}|\[[\d;?]*[mKJHG])$/i;

/** Whether a text ends within an escape, which goes on in the next. */
export function endsInEscape(text: string): boolean {
  const end = text.slice(-LOOK_BEHIND);
  const start = Math.max(end.lastIndexOf("\\"), end.lastIndexOf("%"), end.lastIndexOf("["));
  return start !== -1 && UNFINISHED.test(end.slice(start));
}

const UNFINISHED = /^(?:\\(?:u[\da-f]{0,3}|x[\da-f]?)?|%[\da-f]?|\[[\d;?]*)$/i;

export const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** Whether a shape may stand right after it: what is not of a word, and whatever may end an escape. */
export const mayPrecede = (code: number): boolean => precedes[Math.min(code, 128)] === 1;

const precedes = Uint8Array.from({ length: 129 }, (_, code) =>
  Number(!isLetterOrDigit(code) || /[\da-fnrtmkjhg]/i.test(String.fromCharCode(code))),
);
