import type { ChunkRow } from "../../chunks/chunk.ts";
import type { DatabaseSync } from "../driver.ts";
import { failureOf } from "../failure.ts";
import { CHUNK_COLUMNS, chunkRowOf } from "../tables/chunk-rows.ts";

/** A row that the database cannot read, although the index knows its last sequence. */
export interface BrokenRow {
  broken: true;
  last_sequence: number;
}

export type ChunkWalk = ReturnType<typeof createChunkWalk>;

/** Goes from row to row of a run, also past unreadable pages of the database. A row's key is its last sequence. */
export function createChunkWalk(database: DatabaseSync) {
  const keys = (condition: string) => {
    const select = "SELECT last_sequence FROM chunks INDEXED BY chunks_by_run WHERE run = ? AND last_sequence";
    const statement = database.prepare(`${select} ${condition} LIMIT 1`);
    return (run: number, sequence: number) => statement.get(run, sequence)?.last_sequence as number | undefined;
  };
  const above = keys("> ? ORDER BY last_sequence");
  const below = keys("< ? ORDER BY last_sequence DESC");
  const one = database.prepare(`SELECT ${CHUNK_COLUMNS} FROM chunks WHERE run = ? AND last_sequence = ?`);
  one.setReturnArrays(true);

  return {
    /** The next row after a sequence. If the index is damaged there, searches backwards from the end. */
    after: (run: number, sequence: number): number | undefined =>
      attempt(() => above(run, sequence)) ?? lastBefore(run, Number.MAX_SAFE_INTEGER, sequence),
    /** The row before a sequence. If the index is damaged there, searches forwards from the start. */
    before: (run: number, sequence: number): number | undefined =>
      attempt(() => below(run, sequence)) ?? lastAfter(run, -1, sequence),
    fetch(run: number, last_sequence: number): ChunkRow | BrokenRow {
      const values = attempt(() => one.get(run, last_sequence) as unknown as unknown[] | undefined);
      return values ? chunkRowOf(values) : { broken: true, last_sequence };
    },
  };

  function lastBefore(run: number, from: number, limit: number): number | undefined {
    let found: number | undefined;
    for (let key = attempt(() => below(run, from)); key !== undefined && key > limit; ) {
      const cursor = key;
      found = key;
      key = attempt(() => below(run, cursor));
    }
    return found;
  }

  function lastAfter(run: number, from: number, limit: number): number | undefined {
    let found: number | undefined;
    for (let key = attempt(() => above(run, from)); key !== undefined && key < limit; ) {
      const cursor = key;
      found = key;
      key = attempt(() => above(run, cursor));
    }
    return found;
  }
}

/** Returns undefined where the database is damaged. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code !== "damaged") throw failure;
    return undefined;
  }
}
