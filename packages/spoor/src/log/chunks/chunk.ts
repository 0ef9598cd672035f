import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Lines } from "../lines.ts";
import { firstOf, lastOf, type Ranges } from "../ranges.ts";

/** A reader reads a chunk as a whole, so a chunk has a limit in events and in bytes. */
export const CHUNK_EVENTS = 256;
export const CHUNK_BYTES = 256 * 1024;
/**
 * A merged chunk may have events of other runs between its own. Its first and its last position are less than this far
 * apart, so a reader that goes by position knows how far ahead to look.
 */
export const MAX_SPREAD = 16_384;

/** A chunk's row as it was read, before its checksum was compared. */
export interface ChunkRow {
  last_position: number;
  run: number;
  first_position: number;
  first_sequence: number;
  last_sequence: number;
  /** Lines in the body. */
  events: number;
  /** Ranges of positions as JSON; null when they are consecutive. */
  positions: string | null;
  /** The codes of the event types in it, see event-types.ts. */
  types: string;
  /** The hash chain after the last event. */
  head: string;
  encoding: number;
  crc: number;
  body: Uint8Array;
}

/** The encodings of a body. */
const NDJSON = 0;
const NDJSON_ZSTD = 1;

export const isCompressed = ({ encoding }: ChunkRow): boolean => encoding === NDJSON_ZSTD;

/** A chunk to be written. */
export interface NewChunk {
  run: number;
  run_id: string;
  first_sequence: number;
  last_sequence: number;
  events: number;
  positions: Ranges;
  types: string;
  head: string;
  bytes: Buffer;
  compress?: boolean;
}

/** The row that stores a chunk. */
export function rowOf(chunk: NewChunk): ChunkRow {
  const { run, run_id, first_sequence, last_sequence, events, types, head, bytes, compress = false } = chunk;
  const row = {
    last_position: lastOf(chunk.positions),
    run,
    first_position: firstOf(chunk.positions),
    first_sequence,
    last_sequence,
    events,
    positions: chunk.positions.length > 1 ? JSON.stringify(chunk.positions) : null,
    types,
    head,
    encoding: compress ? NDJSON_ZSTD : NDJSON,
    crc: 0,
    body: compress ? zstdCompressSync(bytes) : bytes,
  };
  row.crc = crcOf(row, run_id);
  return row;
}

/** A chunk whose row matched its checksum. */
export interface Chunk {
  run: number;
  run_id: string;
  first_sequence: number;
  last_sequence: number;
  /** The sequences of its lines. If a gap event replaces a pruned or lost beginning, only the gap's own sequence is listed. */
  sequences: Ranges;
  positions: Ranges;
  types: string;
  head: string;
  bytes: Buffer;
  lines?: Lines;
}

/** The chunk of a row; undefined if the row does not match its checksum. */
export const chunkOf = (row: ChunkRow, run_id: string): Chunk | undefined =>
  row.crc === crcOf(row, run_id) ? trusted(row, run_id) : undefined;

/** The chunk of a row whose checksum was compared before. */
export function trusted(row: ChunkRow, run_id: string): Chunk {
  const { run, first_sequence, last_sequence, events, types, head, body } = row;
  const stored = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return {
    run,
    run_id,
    first_sequence,
    last_sequence,
    sequences: [[last_sequence - events + 1, events]],
    positions: row.positions === null ? [[row.last_position - events + 1, events]] : JSON.parse(row.positions),
    types,
    head,
    bytes: isCompressed(row) ? zstdDecompressSync(stored) : stored,
  };
}

/** Checksum of everything in the row and of the run it belongs to. */
export function crcOf(row: ChunkRow, run_id: string): number {
  const { last_position, run, first_position, first_sequence, last_sequence, events } = row;
  const place = `${run_id} ${run} ${first_position} ${last_position} ${first_sequence} ${last_sequence} ${events}`;
  return crc32(row.body, crc32(`${place} ${row.positions} ${row.types} ${row.head} ${row.encoding}`));
}
