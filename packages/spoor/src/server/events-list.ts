import type { Piece } from "../log/log.ts";
import { readers } from "./parameters.ts";
import { sendBytes } from "./respond.ts";
import type { Call } from "./route.ts";
import type { Source } from "./source.ts";

/** A page as a JSON list; the envelopes in it are the stored bytes. */
export async function sendList({ query, response }: Call, { read, match }: Source): Promise<void> {
  const after = readers.cursor(query) ?? -1;
  const page = await read({ after, limit: readers.limit(query), ...(match && { match }) });
  const next = page.pieces.length > 0 || page.more ? page.next : after;
  const bytes = Buffer.concat([
    Buffer.from('{"object":"list","data":['),
    listed(page.pieces),
    Buffer.from(`],"has_more":${page.more},"next_after_sequence":${next}}\n`),
  ]);
  sendBytes(response, 200, "application/json; charset=utf-8", bytes);
}

/** Lines with commas between them. JSON text holds no raw line break, so each one ends an envelope. */
export function listed(pieces: readonly Piece[]): Buffer {
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, end + 1)) bytes[end] = COMMA;
  return bytes.subarray(0, Math.max(bytes.length - 1, 0));
}

const NEWLINE = 10;
const COMMA = 44;
