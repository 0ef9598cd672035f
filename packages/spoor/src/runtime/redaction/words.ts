/** How many characters before an index `isInsideWord` may read. */
export const LOOK_BEHIND = 24;

/** Whether a letter or digit precedes. The end of an escape does not count: `\n`, `\u003c`, `%3D`, a terminal colour. */
export function isInsideWord(text: string, at: number): boolean {
  const before = at === 0 ? 0 : text.charCodeAt(at - 1);
  if (!isLetterOrDigit(before)) return false;
  return !mayPrecede(before) || !endsEscape(text, at);
}

function endsEscape(text: string, at: number): boolean {
  // Every escape begins with one of these characters, and almost no word follows one.
  for (let index = at - 2, end = Math.max(0, at - LOOK_BEHIND); index >= end; index--) {
    const code = text.charCodeAt(index);
    if (code === 92 || code === 37 || code === 91) return ESCAPE.test(text.slice(index, at));
    // A colour contains only digits, semicolons and question marks; other escapes contain hexadecimal digits and a letter.
    if (!isLetterOrDigit(code) && code !== 59 && code !== 63) return false;
  }
  return false;
}

const ESCAPE = /^(?:\\(?:[nrtbf]|u[\da-f]{4}|x[\da-f]{2})|%[\da-f]{2}|\[[\d;?]*[mKJHG])$/i;

/** Whether a text ends inside an escape that the next piece continues. */
export function endsInEscape(text: string): boolean {
  const end = text.slice(-LOOK_BEHIND);
  const start = Math.max(end.lastIndexOf("\\"), end.lastIndexOf("%"), end.lastIndexOf("["));
  return start !== -1 && UNFINISHED.test(end.slice(start));
}

const UNFINISHED = /^(?:\\(?:u[\da-f]{0,3}|x[\da-f]?)?|%[\da-f]?|\[[\d;?]*)$/i;

const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** Whether a shape may follow this character: it is not part of a word, or it may be the end of an escape. */
const mayPrecede = (code: number): boolean => precedes[Math.min(code, 128)] === 1;

const precedes = Uint8Array.from({ length: 129 }, (_, code) =>
  Number(!isLetterOrDigit(code) || /[\da-fnrtmkjhg]/i.test(String.fromCharCode(code))),
);
