/** Splits the text between the brackets of a JSON list of objects. Each part is the text of one object, unchanged. */
export function splitObjects(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (code === CLOSE) {
      depth -= 1;
      if (depth === 0) parts.push(text.slice(start, at + 1));
    }
  }
  return parts;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [34, 92, 123, 125];

/** The index of the quote that ends a string. A quote after an odd number of backslashes is a part of it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
