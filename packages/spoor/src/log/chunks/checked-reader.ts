import { type Lines, lineEnds } from "../lines.ts";
import { type Chunk, type ChunkRow, crcOf, trusted } from "./chunk.ts";

/** How long a body that was found whole is taken for whole when it is read again. */
const TRUSTED_MS = 60_000;
/** A million events in full chunks, and no more than a few megabytes to remember where their lines end. */
const MOST = 4_096;
/** Less than this is held against its checksum in no time. */
const SMALL_BYTES = 8 * 1024;

/**
 * Reads rows as `chunkOf` does, but remembers for a while which bodies it found whole, and where their lines end. What
 * is remembered is a verdict and never bytes: those always come from the store. It counts for the very row it was given
 * to, with the same place, checksum and length, so a chunk that was joined, cut or compressed is looked at anew. What
 * it passes over is a body that goes bad on the disk after it was read here, until its time is over.
 */
export function createChunkReader(now: () => number = Date.now) {
  const verdicts = new Map<number, Verdict>();

  return (row: ChunkRow, run_id: string): Chunk | undefined => {
    const { last_position } = row;
    const known = verdicts.get(last_position);
    let verdict = known && isSame(known, row, run_id) ? known : undefined;
    if (!verdict || now() >= verdict.until) {
      // Added anew, so that the oldest verdict is the first.
      verdicts.delete(last_position);
      if (row.crc !== crcOf(row, run_id)) return undefined;
      const { body, ...place } = row;
      verdict = { ...place, run_id, length: body.length, until: now() + TRUSTED_MS, ends: verdict?.ends };
      if (body.length >= SMALL_BYTES) remember(last_position, verdict);
    }
    const chunk = trusted(row, run_id);
    chunk.lines = linesOf(chunk.bytes, verdict);
    return chunk;
  };

  function remember(last_position: number, verdict: Verdict): void {
    const oldest = verdicts.size >= MOST ? verdicts.keys().next().value : undefined;
    if (oldest !== undefined) verdicts.delete(oldest);
    verdicts.set(last_position, verdict);
  }
}

interface Verdict extends Omit<ChunkRow, "body"> {
  run_id: string;
  /** Of the body. */
  length: number;
  until: number;
  ends: Uint32Array | undefined;
}

const isSame = (verdict: Verdict, row: ChunkRow, run_id: string): boolean =>
  verdict.crc === row.crc &&
  verdict.length === row.body.length &&
  verdict.run_id === run_id &&
  verdict.run === row.run &&
  verdict.first_position === row.first_position &&
  verdict.first_sequence === row.first_sequence &&
  verdict.last_sequence === row.last_sequence &&
  verdict.events === row.events &&
  verdict.positions === row.positions &&
  verdict.types === row.types &&
  verdict.head === row.head &&
  verdict.encoding === row.encoding;

const linesOf = (bytes: Buffer, verdict: Verdict): Lines => ({
  ends: () => (verdict.ends ??= lineEnds(bytes, verdict.events)),
  first: 0,
  offset: 0,
});
