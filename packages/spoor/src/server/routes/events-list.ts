import type { Piece } from "../../log/log.ts";
import { countOf } from "../../log/ranges.ts";
import type { Source } from "../feeds/source.ts";
import { readers } from "../http/parameters.ts";
import { sendRoom } from "../http/respond.ts";
import { Room } from "../http/room.ts";
import type { Call } from "../http/route.ts";

/** A page as a JSON list; the envelopes in it are the stored bytes. */
export async function sendList(
  { query, response }: Call,
  { read, match }: Pick<Source, "read" | "match">,
  after = -1,
): Promise<void> {
  const limit = readers.limit(query);
  const room = new Room();
  room.add(START);
  const each = (piece: Piece) => separate(piece, room.add(piece.bytes));
  const page = await read({ after, limit, each, ...(match && { match }) });
  const isEmpty = room.bytes.length === START.length;
  const next = isEmpty && !page.more ? after : page.next;
  // What follows takes the place of the last comma.
  if (!isEmpty) room.drop(1);
  room.add(Buffer.from(`],"has_more":${page.more},"next_after_sequence":${next}}\n`));
  sendRoom(response, 200, "application/json; charset=utf-8", room);
}

const START = Buffer.from('{"object":"list","data":[');

/** Envelopes between two texts, with commas between them. */
export function listed(before: string, pieces: readonly Piece[], after: string): Buffer {
  const list = Buffer.concat([Buffer.from(before), ...pieces.map(({ bytes }) => bytes), Buffer.from(after)]);
  let offset = Buffer.byteLength(before);
  for (const piece of pieces) {
    separate(piece, list.subarray(offset, offset + piece.bytes.length));
    offset += piece.bytes.length;
  }
  if (pieces.length === 0) return list;
  // What follows takes the place of the last comma.
  list.copyWithin(offset - 1, offset);
  return list.subarray(0, -1);
}

/** Puts a comma after each envelope of a copy. JSON text holds no raw line break, so each one ends an envelope. */
function separate({ sequences, lines }: Piece, copy: Buffer): void {
  if (!lines) {
    for (let at = copy.indexOf(NEWLINE); at !== -1; at = copy.indexOf(NEWLINE, at + 1)) copy[at] = COMMA;
    return;
  }
  const ends = lines.ends();
  const last = lines.first + countOf(sequences);
  for (let line = lines.first; line < last; line++) copy[(ends[line] as number) - lines.offset - 1] = COMMA;
}

const NEWLINE = 10;
const COMMA = 44;
