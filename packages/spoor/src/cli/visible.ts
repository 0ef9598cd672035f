/**
 * Text of unknown origin as it may be shown in a terminal: control characters, escape sequences and marks that reorder
 * or hide text become visible codes instead of taking effect. Tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    character === "\t" ? character : character.split("").map(code).join(""),
  );
}

const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
