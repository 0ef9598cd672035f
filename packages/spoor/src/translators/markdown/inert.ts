/**
 * Returns Markdown that agents or people wrote without what a viewer would load or run: raw HTML and pictures become text. Every
 * fence is written anew, so that it ends where the text ends it, or with the text, and can hide nothing that follows. Code stays
 * as it is.
 */
export function inertMarkdown(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  const blocks: string[] = [];
  let isCertain = true;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, indent = "", fence, language] = FENCE.exec(line) ?? [];
    if (fence === undefined) {
      if (line.trim() === "") isCertain = true;
      const inert = inertLine(line, isCertain);
      isCertain = inert.isCertain;
      blocks.push(inert.text);
    } else {
      const code: string[] = [];
      for (at += 1; at < lines.length && !isEnd(lines[at] ?? "", fence); at += 1) {
        code.push(outdented(lines[at] ?? "", indent.length));
      }
      blocks.push(fenced(code.join("\n"), language));
      isCertain = true;
    }
  }
  return blocks.join("\n");
}

/** A fence that is longer than any in the text, so that the text cannot end it. */
export function fenced(text: string, language = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The beginning of a fence and the name of a language. One that a list indents is moved to the margin. */
const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,}) *([\w+#.-]*)/;

function isEnd(line: string, fence: string): boolean {
  const end = line.trim();
  return end.length >= fence.length && end === fence.charAt(0).repeat(end.length);
}

const outdented = (line: string, most: number): string =>
  line.slice(Math.min(most, line.length - line.trimStart().length));

/**
 * Escapes what is live in a line. Spans of code stay as they are, as long as it is certain what is code: a backtick without its
 * partner on the same line may have one in the next, unless a heading or a cell ends between them.
 */
function inertLine(line: string, isCertain: boolean): { text: string; isCertain: boolean } {
  const certain = isCertain ? lengthUntilLoose(line) : 0;
  const text = line.slice(0, certain).replaceAll(TOKEN, inert) + line.slice(certain).replaceAll(LIVE, inert);
  return { text, isCertain: certain === line.length };
}

/** How much of a line stands before its first backticks without a partner. */
function lengthUntilLoose(line: string): number {
  // Finding partners takes quadratic time.
  if (line.length > LONGEST_LINE) return 0;
  for (const { 0: token, 1: span, index } of line.matchAll(TOKEN)) {
    if (token.startsWith("`") && span === undefined) return index;
  }
  return line.length;
}

const LONGEST_LINE = 2_000;

/** Something escaped; a picture; a tag. */
const LIVE = /\\.|!\[|<(?=[A-Za-z/!?])/g;

/** Also a span of code that does not cross the border of a cell, and backticks without a partner. */
const TOKEN = new RegExp(`${LIVE.source}|(?<!\`)(\`+)(?!\`)[^|]*?(?<!\`)\\1(?!\`)|\`+`, "g");

const inert = (token: string): string => (token === "![" ? "!\\[" : token === "<" ? "\\<" : token);
