/** How many characters before an index `isInsideWord` may look at. */
export const LOOK_BEHIND = 24;

/** The end of an escape is no letter of a word: `\n` and `\u003c` in JSON, `%3D` in a URL, a colour in a terminal. */
export function isInsideWord(text: string, at: number): boolean {
  const before = at === 0 ? 0 : text.charCodeAt(at - 1);
  if (!isLetterOrDigit(before)) return false;
  return !mayPrecede(before) || !endsEscape(text, at);
}

function endsEscape(text: string, at: number): boolean {
  // Every escape begins with one of these, and nearly no word has one before it.
  for (let index = at - 2, end = Math.max(0, at - LOOK_BEHIND); index >= end; index--) {
    const code = text.charCodeAt(index);
    if (code === 92 || code === 37 || code === 91) return ESCAPE.test(text.slice(index, at));
    // Only digits, semicolons and question marks stand in a colour, hexadecimal digits and a letter in the others.
    if (!isLetterOrDigit(code) && code !== 59 && code !== 63) return false;
  }
  return false;
}

const ESCAPE = /^(?:\\(?:[nrtbf]|u[\da-f]{4}|x[\da-f]{2})|%[\da-f]{2}|\[[\d;?]*[mKJHG])$/i;

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
const mayPrecede = (code: number): boolean => precedes[Math.min(code, 128)] === 1;

const precedes = Uint8Array.from({ length: 129 }, (_, code) =>
  Number(!isLetterOrDigit(code) || /[\da-fnrtmkjhg]/i.test(String.fromCharCode(code))),
);
