import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { CHAIN_START } from "../../chunks/chain.ts";
import type { Lines } from "../../lines.ts";
import { firstOf, lastOf, type Ranges } from "../../ranges.ts";
import type { DatabaseSync } from "../driver.ts";

/** A chunk's row, read and not yet believed. */
export interface ChunkRow {
  last_position: number;
  run: number;
  first_position: number;
  first_sequence: number;
  last_sequence: number;
  events: number;
  positions: string | null;
  types: string;
  head: string;
  encoding: number;
  crc: number;
  body: Uint8Array;
}

/** For a statement that returns arrays, which are much cheaper than objects: of these columns `rowOf` makes the row. */
export const CHUNK_COLUMNS =
  "last_position, run, first_position, first_sequence, last_sequence, events, positions, types, head, encoding, crc, body";

export const rowOf = (values: readonly unknown[]): ChunkRow => ({
  last_position: values[0] as number,
  run: values[1] as number,
  first_position: values[2] as number,
  first_sequence: values[3] as number,
  last_sequence: values[4] as number,
  events: values[5] as number,
  positions: values[6] as string | null,
  types: values[7] as string,
  head: values[8] as string,
  encoding: values[9] as number,
  crc: values[10] as number,
  body: values[11] as Uint8Array,
});

/** What a chunk holds, to be written. */
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

export interface ChunkRows {
  insert(chunk: NewChunk): void;
  delete(last_position: number): void;
  /** Whether a chunk ends at this position. */
  has(last_position: number): boolean;
  /** The greatest position that was given. */
  lastPosition(): number;
  /** Positions up to here were given before, and are not given again. */
  reserve(position: number): void;
  /** The hash chain where a run's sequence begins. */
  headBefore(run: number, sequence: number): string;
}

export function createChunkRows(database: DatabaseSync): ChunkRows {
  const insert = database.prepare(
    `INSERT INTO chunks (last_position, run, first_position, first_sequence, last_sequence, events, positions, types,
       head, encoding, crc, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare("DELETE FROM chunks WHERE last_position = ?");
  const last = database.prepare("SELECT max(last_position) AS position FROM chunks");
  const before = database.prepare(
    "SELECT head FROM chunks WHERE run = ? AND last_sequence < ? ORDER BY last_sequence DESC LIMIT 1",
  );
  const at = database.prepare("SELECT 1 FROM chunks WHERE last_position = ?");
  let reserved = -1;
  return {
    headBefore: (run, sequence) => (before.get(run, sequence)?.head as string | undefined) ?? CHAIN_START,
    insert(chunk) {
      const { run, run_id, first_sequence, last_sequence, events, types, head, bytes, compress = false } = chunk;
      const first_position = firstOf(chunk.positions);
      const last_position = lastOf(chunk.positions);
      const positions = chunk.positions.length > 1 ? JSON.stringify(chunk.positions) : null;
      const encoding = compress ? 1 : 0;
      const body = compress ? zstdCompressSync(bytes) : bytes;
      const row = { last_position, run, first_position, first_sequence, last_sequence, events, positions, types, head };
      const crc = crcOf({ ...row, encoding, body, crc: 0 }, run_id);
      insert.run(
        last_position,
        run,
        first_position,
        first_sequence,
        last_sequence,
        events,
        positions,
        types,
        head,
        encoding,
        crc,
        body,
      );
    },
    delete(last_position) {
      remove.run(last_position);
    },
    has: (last_position) => at.get(last_position) !== undefined,
    lastPosition: () => Math.max((last.get()?.position as number | null) ?? -1, reserved),
    reserve(position) {
      reserved = Math.max(reserved, position);
    },
  };
}

/** A chunk that was found as it was written. */
export interface Chunk {
  run: number;
  run_id: string;
  first_sequence: number;
  last_sequence: number;
  /** Of its lines. */
  sequences: Ranges;
  positions: Ranges;
  types: string;
  head: string;
  bytes: Buffer;
  lines?: Lines;
}

/** Undefined for a row that is not as it was written. */
export const chunkOf = (row: ChunkRow, run_id: string): Chunk | undefined =>
  row.crc === crcOf(row, run_id) ? trusted(row, run_id) : undefined;

/** What a row says, once it is known to be as it was written. */
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
    bytes: row.encoding === 1 ? zstdDecompressSync(stored) : stored,
  };
}

export function crcOf(row: ChunkRow, run_id: string): number {
  const { last_position, run, first_position, first_sequence, last_sequence, events } = row;
  const place = `${run_id} ${run} ${first_position} ${last_position} ${first_sequence} ${last_sequence} ${events}`;
  return crc32(row.body, crc32(`${place} ${row.positions} ${row.types} ${row.head} ${row.encoding}`));
}
