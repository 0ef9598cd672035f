/** Characters that are acted on instead of shown: controls, and marks that reorder, hide or break text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Makes text of unknown origin safe to show: control characters, escape sequences and marks that reorder or hide text
 * become visible `\u` codes. Tabs and line breaks stay. The terminal has the same rule.
 */
export const visible = (text: string): string =>
  text.replace(UNSAFE, (character) => (character === "\t" || character === "\n" ? character : escaped(character)));

/** The same for text that stands on one line: line breaks become codes, too. */
export const visibleLine = (text: string): string => visible(text).replaceAll("\n", "\\u000a");

/** A part of a text. A `code` stands for a character that cannot be shown. */
interface VisiblePart {
  readonly text: string;
  readonly isCode: boolean;
}

/** The parts of the visible text, so that a screen can mark the codes. What an agent typed as `\u202e` is no code. */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let start = 0;
  const add = (part: string, isCode: boolean) => {
    const last = parts.at(-1);
    if (part === "") return;
    if (last?.isCode === isCode) parts[parts.length - 1] = { text: last.text + part, isCode };
    else parts.push({ text: part, isCode });
  };
  for (const { 0: character, index } of text.matchAll(UNSAFE)) {
    if (character === "\t" || character === "\n") continue;
    add(text.slice(start, index), false);
    add(escaped(character), true);
    start = index + character.length;
  }
  add(text.slice(start), false);
  return parts;
}

/** The `\u` escape of a character, as in JSON. A character outside the basic plane becomes two escapes. */
const escaped = (character: string): string => character.split("").map(code).join("");

const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
