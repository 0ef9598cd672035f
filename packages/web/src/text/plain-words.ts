/**
 * The words of Markdown in one line, for places that have room for a line: without the marks of headings and emphasis,
 * with a dot for each item of a list and an ellipsis for a block of code. Code in a line keeps its backticks.
 */
export function plainWords(markdown: string): string {
  return markdown
    .slice(0, LONGEST)
    .replaceAll(/^ {0,3}(```|~~~)[^\n]*(?:\n(?! {0,3}\1)[^\n]*)*(?:\n {0,3}\1[^\n]*|$)/gm, "…")
    .replaceAll(/^[ \t]*(?:#{1,6}|>)[ \t]+/gm, "")
    .replaceAll(/^[ \t]*[-*+][ \t]+/gm, "• ")
    .replaceAll(/`[^`\n]*`|\*\*(?=\S)|(?<=\S)\*\*/g, (found) => (found === "**" ? "" : found))
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Enough for every place that shows one line. */
const LONGEST = 4_000;
