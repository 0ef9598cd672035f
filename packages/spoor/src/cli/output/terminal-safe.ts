/**
 * Characters that a terminal acts on instead of showing them: controls, marks that reorder, hide or break text, and letters and
 * marks that nobody sees. The two selectors that choose between the text and the picture of an emoji are harmless.
 */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/**
 * Makes text of unknown origin safe to show in a terminal: control characters, escape sequences and marks that reorder or
 * hide text become visible `\u` codes. Tabs stay.
 */
export function terminalSafe(text: string): string {
  return text.replace(UNSAFE, (character) => (character === "\t" ? character : escaped(character)));
}

/** The same for text of several lines; line breaks stay. */
export const terminalSafeLines = (text: string): string => text.split("\n").map(terminalSafe).join("\n");

/** The `\u` escape of a character, as in JSON. A character outside the basic plane becomes two escapes. */
export const escaped = (character: string): string => character.split("").map(code).join("");

const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
