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
  const end = `],"has_more":${page.more},"next_after_sequence":${next}}\n`;
  const bytes = listed('{"object":"list","data":[', page.pieces, end);
  sendBytes(response, 200, "application/json; charset=utf-8", bytes);
}

/** Envelopes between two texts, with commas between them. JSON text holds no raw line break, so each one ends an envelope. */
export function listed(before: string, pieces: readonly Piece[], after: string): Buffer {
  const lines = pieces.map(({ bytes }, index) => (index === pieces.length - 1 ? bytes.subarray(0, -1) : bytes));
  const bytes = Buffer.concat([Buffer.from(before), ...lines, Buffer.from(after)]);
  const end = bytes.length - Buffer.byteLength(after);
  for (let at = bytes.indexOf(NEWLINE); at !== -1 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) bytes[at] = COMMA;
  return bytes;
}

const NEWLINE = 10;
const COMMA = 44;
