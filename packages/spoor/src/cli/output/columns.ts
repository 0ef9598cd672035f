/** How many columns a terminal needs for a text. The text has gone through `visible()`, so it has no control characters. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text.match(CHARACTERS) ?? []) columns += widthOf(character);
  return columns;
}

/** A text that needs at most `most` columns. A longer one loses its end. */
export function cutEnd(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  return most < 1 ? "" : `${headOf(text, most - 1)}…`;
}

/** A text that needs at most `most` columns. A longer one loses its beginning. */
export function cutStart(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  return most < 1 ? "" : `…${tailOf(text, most - 1)}`;
}

/** A path that needs at most `most` columns. A longer one loses its middle: `src/…/calc.js`. */
export function cutPath(path: string, most: number): string {
  if (columnsOf(path) <= most) return path;
  const names = path.split("/");
  const last = names.pop() ?? "";
  for (let kept = names.length - 1; kept > 0; kept -= 1) {
    const shorter = `${names.slice(0, kept).join("/")}/…/${last}`;
    if (columnsOf(shorter) <= most) return shorter;
  }
  const least = names.length > 0 ? `…/${last}` : last;
  if (columnsOf(least) <= most) return least;
  return most < 1 ? "" : `…${tailOf(last, most - 1)}`;
}

/** The beginning of a text, as much as fits into `most` columns. */
export function headOf(text: string, most: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, most));
  let [head, columns] = ["", 0];
  for (const character of text.match(CHARACTERS) ?? []) {
    columns += widthOf(character);
    if (columns > most) break;
    head += character;
  }
  return head;
}

/** The end of a text, as much as fits into `most` columns. */
function tailOf(text: string, most: number): string {
  const characters = text.match(CHARACTERS) ?? [];
  let [tail, columns] = ["", 0];
  for (const character of characters.reverse()) {
    columns += widthOf(character);
    if (columns > most) break;
    tail = character + tail;
  }
  return tail;
}

/** Fills a text with spaces up to a number of columns. */
export const padEnd = (text: string, columns: number): string =>
  `${text}${" ".repeat(Math.max(0, columns - columnsOf(text)))}`;

export const padStart = (text: string, columns: number): string =>
  `${" ".repeat(Math.max(0, columns - columnsOf(text)))}${text}`;

/** Breaks a line at words into lines of at most `most` columns. A word that is longer is broken anywhere. */
export function wrap(line: string, most: number): string[] {
  if (columnsOf(line) <= most) return [line];
  const lines: string[] = [];
  let current = "";
  for (const word of line.match(WORDS) ?? []) {
    if (current !== "" && columnsOf(current + word.trimEnd()) > most) {
      lines.push(current.trimEnd());
      current = "";
    }
    let rest = current === "" && lines.length > 0 ? word.trimStart() : current + word;
    while (columnsOf(rest.trimEnd()) > most) {
      // A character that is wider than the line stands alone.
      const head = headOf(rest, most) || (rest.match(CHARACTERS)?.[0] ?? rest);
      lines.push(head);
      rest = rest.slice(head.length);
    }
    current = rest;
  }
  if (current.trimEnd() !== "") lines.push(current.trimEnd());
  return lines;
}

const PLAIN = /^[\x20-\x7e]*$/;
/** A character with the marks that combine with it. */
export const CHARACTERS: RegExp = /\P{M}\p{M}*|\p{M}+/gu;
/** Words with the space after them. Text without spaces, as Chinese is, may be broken after any wide character. */
export const WORDS: RegExp =
  /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]\p{M}*\s*|[^\s\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]+\s*|\s+/gu;

/** Where widths are in doubt, the greater one is taken, so that a line is never longer than the terminal. */
function widthOf(character: string): number {
  if (WIDE.test(character) || character.includes("\ufe0f")) return 2;
  return /^\p{Mn}/u.test(character) ? 0 : 1 + (character.match(/\p{Mc}/gu)?.length ?? 0);
}

/** East Asian wide and full-width characters, and those that terminals show as pictures. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}\p{Regional_Indicator}]/u;
