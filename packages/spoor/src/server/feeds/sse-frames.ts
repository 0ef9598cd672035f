import type { Batch } from "../../log/feed/feed.ts";
import type { Piece } from "../../log/log.ts";
import { countOf, lastOf, type Ranges } from "../../log/ranges.ts";

/** Encodes a batch as SSE frames. Readers that receive the same batch share the bytes: bench `SSE to 100 readers` 2.2× with it. */
export type Encode = (batch: Batch) => Buffer;

/** Frames whose id is the sequence, for the feed of one run. */
export const runFrames: Encode = encoder(({ sequences }) => sequences);
/** Frames whose id is the position, for the feed of all runs. */
export const allFrames: Encode = encoder(({ positions }) => positions);

/** A frame that is not an event of a run. It has no id unless one is given, so it does not move the reader's cursor. */
export function namedFrame(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/**
 * Moves a reader's cursor and carries no event. Sent at the end of a run: a browser whose cursor is not at the end, because
 * its filter let nothing through or it began beyond the end, would otherwise reconnect forever.
 */
export const cursorFrame = (id: number): string => `id: ${id}\n\n`;

export const HEARTBEAT_FRAME = Buffer.from(": still here\n\n");

function encoder(cursorsOf: (piece: Piece) => Ranges): Encode {
  const cache = new WeakMap<Batch, Buffer>();
  return (batch) => {
    const frames = cache.get(batch) ?? encode(batch.pieces, cursorsOf);
    cache.set(batch, frames);
    return frames;
  };
}

/**
 * JSON text holds no raw line break, so each stored envelope is one `data` line. Copying the stored bytes instead of making
 * strings of them replays a run 2× as fast.
 */
function encode(pieces: readonly Piece[], cursorsOf: (piece: Piece) => Ranges): Buffer {
  const frames = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + maxBytes(piece, cursorsOf(piece)), 0));
  let offset = 0;
  for (const piece of pieces) {
    let start = 0;
    for (const [first, length] of cursorsOf(piece)) {
      for (let cursor = first; cursor < first + length; cursor++) {
        const end = piece.bytes.indexOf(NEWLINE, start) + 1;
        offset += frames.write(headOf(cursor), offset, "latin1");
        offset += piece.bytes.copy(frames, offset, start, end);
        frames[offset++] = NEWLINE;
        start = end;
      }
    }
  }
  return frames.subarray(0, offset);
}

const headOf = (cursor: number): string => `id: ${cursor}\ndata: `;

const maxBytes = ({ bytes }: Piece, cursors: Ranges): number =>
  bytes.length + countOf(cursors) * (headOf(lastOf(cursors)).length + 1);

const NEWLINE = 10;
