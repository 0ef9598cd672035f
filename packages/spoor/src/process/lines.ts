/**
 * Cuts bytes into lines at LF and nothing else, so that U+2028 inside JSON text stays where it is. A CR before the LF
 * goes with it, a byte order mark at the very start too, and a last line without LF counts. Chunks are joined once per
 * line, which keeps a line of many megabytes linear.
 */
export async function* lines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let first = true;

  const take = (last: Buffer): string => {
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    const end = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
    const start = first && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    first = false;
    return bytes.toString("utf8", start, end);
  };

  for await (const chunk of input) {
    const bytes =
      typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
      yield take(bytes.subarray(from, at));
      from = at + 1;
    }
    if (from < bytes.length) parts.push(bytes.subarray(from));
  }
  if (parts.length > 0) yield take(Buffer.alloc(0));
}

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
