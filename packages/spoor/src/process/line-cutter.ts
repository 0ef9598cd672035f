import { createByteBuffer, safeEnd, toBuffer } from "./byte-buffer.ts";
import { type Cutter, type CutterOptions, MAX_TEXT_BYTES, type Piece } from "./stream-cutter.ts";

/**
 * Splits at LF and nothing else, so that U+2028 and NUL inside JSON text do not end a line. A CR before the LF and a byte
 * order mark at the start of the stream are removed. A last line without LF counts as a line.
 *
 * A line above `maxBytes` is returned in pieces: the first of about that size, the others of about `pieceBytes`. All but the
 * last are marked `continues`. Pieces end between characters, so joining them gives the line unchanged.
 */
export function createLineCutter({ maxBytes = MAX_TEXT_BYTES, pieceBytes = maxBytes }: CutterOptions = {}): Cutter {
  const whole = Math.max(maxBytes, 8);
  const later = Math.min(Math.max(pieceBytes, 8), whole);
  let limit = whole;
  const pending = createByteBuffer(limit);
  let first = true;

  const decode = (bytes: Buffer, end: number): string => {
    const start = first && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    first = false;
    return bytes.toString("utf8", start, end);
  };

  const finish = (last: Buffer): Piece => {
    if (pending.length > 0) pending.append(last);
    const bytes = pending.length > 0 ? pending.take() : last;
    limit = whole;
    return { text: decode(bytes, bytes.at(-1) === CR ? bytes.length - 1 : bytes.length) };
  };

  const cutOff = (): Piece => {
    const bytes = pending.take();
    const end = safeEnd(bytes);
    const piece: Piece = { text: decode(bytes, end), continues: true };
    pending.append(bytes.subarray(end));
    limit = later;
    return piece;
  };

  return {
    *push(chunk) {
      const bytes = toBuffer(chunk);
      let from = 0;
      let newline = bytes.indexOf(LF);
      while (from < bytes.length) {
        const end = newline === -1 ? bytes.length : newline;
        const room = limit - pending.length;
        if (end - from > room) {
          pending.append(bytes.subarray(from, from + room));
          from += room;
          yield cutOff();
        } else if (newline === -1) {
          pending.append(bytes.subarray(from));
          return;
        } else {
          yield finish(bytes.subarray(from, newline));
          from = newline + 1;
          newline = bytes.indexOf(LF, from);
        }
      }
    },
    *end() {
      if (pending.length > 0) yield finish(NOTHING);
    },
  };
}

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
