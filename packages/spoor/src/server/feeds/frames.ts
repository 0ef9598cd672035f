import type { Batch } from "../../log/feed/feed.ts";
import type { Piece } from "../../log/log.ts";
import { countOf, lastOf, type Ranges } from "../../log/ranges.ts";
import { digitCount, writeDigits } from "./digits.ts";

/** A batch as SSE frames. Made once; every reader at the same place sends the same bytes. */
export type Encode = (batch: Batch) => Buffer;

/** With the sequence as id, for the feed of one run. */
export const runFrames: Encode = encoder(({ sequences }) => sequences);
/** With the position as id, for the feed of all runs. */
export const allFrames: Encode = encoder(({ positions }) => positions);

/** A frame of another kind. It has no id, unless one is given: what cannot be resumed from must not move a cursor. */
export function namedFrame(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/**
 * Moves a reader's cursor and nothing else. At the end of a run it says that all was read, also to one who was given
 * nothing or was beyond the end: a browser would connect again and again from where it was.
 */
export const placeFrame = (id: number): string => `id: ${id}\n\n`;

export const heartbeat = Buffer.from(": still here\n\n");

function encoder(places: (piece: Piece) => Ranges): Encode {
  /** A lone piece is often part of several batches, as one follows the other. */
  const ofPiece = new WeakMap<Piece, Buffer>();
  const ofBatch = new WeakMap<Batch, Buffer>();
  return (batch) => {
    const [only, another] = batch.pieces;
    const known = ofBatch.get(batch) ?? (only && !another && ofPiece.get(only));
    if (known) return known;
    const frames = encode(batch.pieces, places);
    ofBatch.set(batch, frames);
    if (only && !another) ofPiece.set(only, frames);
    return frames;
  };
}

/** JSON text holds no raw line break, so that each envelope is one `data` line as it stands. */
function encode(pieces: readonly Piece[], places: (piece: Piece) => Ranges): Buffer {
  const frames = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + mostBytes(piece, places(piece)), 0));
  let offset = 0;
  for (const piece of pieces) {
    const { bytes } = piece;
    const endOf = lineEnder(piece);
    let start = 0;
    let line = 0;
    for (const [first, length] of places(piece)) {
      for (let place = first; place < first + length; place++) {
        const end = endOf(line++, start);
        offset = put(ID, frames, offset);
        offset = writeDigits(frames, place, digitCount(place), offset);
        offset = put(DATA, frames, offset);
        offset += bytes.copy(frames, offset, start, end);
        frames[offset++] = NEWLINE;
        start = end;
      }
    }
  }
  return frames.subarray(0, offset);
}

const mostBytes = ({ bytes }: Piece, places: Ranges): number =>
  bytes.length + countOf(places) * (ID.length + digitCount(lastOf(places)) + DATA.length + 1);

/** Where a line ends: known, or to be looked for from where it starts. */
function lineEnder({ bytes, lines }: Piece): (line: number, start: number) => number {
  if (!lines) return (_, start) => bytes.indexOf(NEWLINE, start) + 1;
  const { first, offset } = lines;
  const ends = lines.ends();
  return (line) => (ends[first + line] as number) - offset;
}

/** Byte by byte: for so few a call into the system costs more. */
function put(text: Buffer, target: Buffer, offset: number): number {
  for (let at = 0; at < text.length; at++) target[offset + at] = text[at] as number;
  return offset + text.length;
}

const ID = Buffer.from("id: ");
const DATA = Buffer.from("\ndata: ");

const NEWLINE = 10;
