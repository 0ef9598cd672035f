import type { Batch } from "../log/feed.ts";
import type { Piece } from "../log/log.ts";
import { lastOf, type Ranges } from "../log/ranges.ts";

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

export const heartbeat = Buffer.from(": still here\n\n");

function encoder(places: (piece: Piece) => Ranges): Encode {
  const ofPiece = new WeakMap<Piece, Buffer>();
  const ofBatch = new WeakMap<Batch, Buffer>();
  const framesOf = (piece: Piece): Buffer => {
    const known = ofPiece.get(piece);
    if (known) return known;
    const frames = encode(piece.bytes, places(piece));
    ofPiece.set(piece, frames);
    return frames;
  };
  return (batch) => {
    const known = ofBatch.get(batch);
    if (known) return known;
    const [only, another] = batch.pieces;
    const frames = only && !another ? framesOf(only) : Buffer.concat(batch.pieces.map(framesOf));
    ofBatch.set(batch, frames);
    return frames;
  };
}

/** JSON text holds no raw line break, so that each envelope is one `data` line as it stands. */
function encode(bytes: Buffer, places: Ranges): Buffer {
  const overhead = `id: ${lastOf(places)}\ndata: \n`.length;
  const count = places.reduce((sum, [, length]) => sum + length, 0);
  const frames = Buffer.allocUnsafeSlow(bytes.length + count * overhead);
  let offset = 0;
  let start = 0;
  for (const [first, length] of places) {
    for (let place = first; place < first + length; place++) {
      const end = bytes.indexOf(NEWLINE, start) + 1;
      offset += frames.write(`id: ${place}\ndata: `, offset, "latin1");
      offset += bytes.copy(frames, offset, start, end);
      frames[offset++] = NEWLINE;
      start = end;
    }
  }
  return frames.subarray(0, offset);
}

const NEWLINE = 10;
