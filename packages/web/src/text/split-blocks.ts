/**
 * Splits Markdown at blank lines into blocks that can be parsed one by one, so that text which still streams in changes
 * only its last block. A fence stays whole, and so does a list with blank lines between its items.
 *
 * The split of a text never changes when more is appended, except for its last block. While the text streams, a line
 * decides nothing before its end has arrived.
 */
export function splitBlocks(text: string, isComplete: boolean): string[] {
  const source = text.replace(/\r\n?/g, "\n");
  const blocks: string[] = [];
  let start = 0;
  let fence: string | undefined;
  let isList = false;
  let isAfterBlank = false;
  for (let at = 0; at < source.length; ) {
    const newline = source.indexOf("\n", at);
    if (newline === -1 && !isComplete) break;
    const end = newline === -1 ? source.length : newline;
    const line = source.slice(at, end);
    const isBlank = line.trim() === "";
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
    } else if (!isBlank) {
      const isItem = LIST_ITEM.test(line);
      if (isAfterBlank && !/^[ \t]/.test(line) && !(isList && isItem)) {
        blocks.push(source.slice(start, at));
        start = at;
        isList = isItem;
      } else if (at === start) isList = isItem;
      fence = FENCE.exec(line)?.[1];
    }
    isAfterBlank = isBlank && fence === undefined;
    at = end + 1;
  }
  if (start < source.length) blocks.push(source.slice(start));
  return blocks;
}

const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** An info string after backticks has no backticks in it. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

function closes(line: string, fence: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
}
