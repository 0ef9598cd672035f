import { type ChunkRow, type NewChunk, rowOf } from "../../chunks/chunk.ts";
import type { DatabaseSync } from "../driver.ts";

export interface ChunkRows {
  insert(chunk: NewChunk): void;
  delete(last_position: number): void;
  /** Whether a chunk ends at this position. */
  has(last_position: number): boolean;
  /** The greatest position that was ever given to an event. */
  lastPosition(): number;
  /** Marks all positions up to this one as given, so that they are not given again. */
  reserve(position: number): void;
}

export function createChunkRows(database: DatabaseSync): ChunkRows {
  const insert = database.prepare(
    `INSERT INTO chunks (${CHUNK_COLUMNS}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  const remove = database.prepare("DELETE FROM chunks WHERE last_position = ?");
  const last = database.prepare("SELECT max(last_position) AS position FROM chunks");
  const at = database.prepare("SELECT 1 FROM chunks WHERE last_position = ?");
  let reserved = -1;
  return {
    insert(chunk) {
      const row = rowOf(chunk);
      insert.run(...columns.map((column) => row[column]));
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

const columns = [
  ...(["last_position", "run", "first_position", "first_sequence", "last_sequence", "events"] as const),
  ...(["positions", "types", "head", "encoding", "crc", "body"] as const),
];

/** For statements that return arrays, which are much cheaper than objects: `chunkRowOf` makes the row from these columns. */
export const CHUNK_COLUMNS = columns.join(", ");

export const chunkRowOf = (values: readonly unknown[]): ChunkRow => ({
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
