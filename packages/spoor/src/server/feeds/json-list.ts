import type { Piece } from "../../log/log.ts";

/** The stored envelopes as JSON list items, between two texts. */
export function jsonList(before: string, pieces: readonly Piece[], after: string): Buffer {
  const list = Buffer.concat([Buffer.from(before), ...pieces.map(({ bytes }) => bytes), Buffer.from(after)]);
  let offset = Buffer.byteLength(before);
  for (const piece of pieces) {
    putCommas(list.subarray(offset, offset + piece.bytes.length));
    offset += piece.bytes.length;
  }
  if (pieces.length === 0) return list;
  // Overwrite the comma after the last item.
  list.copyWithin(offset - 1, offset);
  return list.subarray(0, -1);
}

/** Replaces the newline after each envelope in a copy of stored bytes. JSON text holds no raw line break of its own. */
export function putCommas(copy: Buffer): void {
  for (let at = copy.indexOf(NEWLINE); at !== -1; at = copy.indexOf(NEWLINE, at + 1)) copy[at] = COMMA;
}

const NEWLINE = 10;
const COMMA = 44;
