/** Whether the lines of a file all end with CRLF, and there is at least one. */
export function isCrlf(bytes: Buffer): boolean {
  let found = false;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at - 1] !== 13) return false;
    found = true;
  }
  return found;
}

/** The bytes of a text, with the line ends of the file that it is for. */
export const withLineEnds = (text: string, crlf: boolean): Buffer =>
  Buffer.from(crlf ? text.replaceAll(/\r?\n/g, "\r\n") : text);

/** The byte order mark of UTF-8. */
export const BOM: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);

export const hasBom = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(BOM);
