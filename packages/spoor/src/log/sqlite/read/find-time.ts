import type { Piece } from "../../log.ts";
import { at } from "../../ranges.ts";
import type { DatabaseSync } from "../driver.ts";
import { CHUNK_COLUMNS, chunkRowOf } from "../tables/chunk-rows.ts";
import type { Tables } from "../tables/tables.ts";

/**
 * Finds the position of the first event at or after a time; undefined if every event is older.
 *
 * Times do not rise with positions across runs: an imported run has old times at new positions. Within one run they never
 * fall, so each run that was active at the time is searched on its own, and the lowest position is returned.
 */
export function createTimeFinder(database: DatabaseSync, tables: Tables) {
  const later = database.prepare(
    `SELECT min((SELECT first_position FROM chunks WHERE chunks.run = runs.run ORDER BY last_sequence LIMIT 1)) AS position
       FROM runs WHERE created_at >= ?`,
  );
  const active = database.prepare(
    "SELECT run, run_id, last_sequence FROM runs WHERE created_at < ? AND updated_at >= ?",
  );
  const holding = database.prepare(
    `SELECT ${CHUNK_COLUMNS} FROM chunks WHERE run = ? AND last_sequence >= ? ORDER BY last_sequence LIMIT 1`,
  );
  holding.setReturnArrays(true);

  return (time: number): number | undefined => {
    const positions = (active.all(time, time) as unknown as ActiveRun[]).map((run) => search(run, time));
    positions.push((later.get(time)?.position as number | null) ?? undefined);
    const found = positions.filter((position) => position !== undefined);
    return found.length > 0 ? Math.min(...found) : undefined;
  };

  /** A binary search over the run's sequences, one chunk per step. */
  function search({ run, run_id, last_sequence }: ActiveRun, time: number): number | undefined {
    let low = 0;
    let high = last_sequence + 1;
    let found: number | undefined;
    while (low < high) {
      const values = holding.get(run, (low + high) >>> 1) as unknown[] | undefined;
      const row = values && chunkRowOf(values);
      if (!row) {
        high = (low + high) >>> 1;
        continue;
      }
      const chunk = tables.chunkOf(row, run_id);
      const index = chunk ? firstAtOrAfter(chunk, time) : 0;
      // A damaged chunk counts as late enough, so that readers receive its gap rather than miss its events.
      if (index === undefined) low = row.last_sequence + 1;
      else {
        found = chunk ? at(chunk.positions, index) : row.first_position;
        if (index > 0) return found;
        high = Math.min(row.first_sequence, (low + high) >>> 1);
      }
    }
    return found;
  }
}

interface ActiveRun {
  run: number;
  run_id: string;
  last_sequence: number;
}

/** Index of the first line at or after a time. */
function firstAtOrAfter({ bytes, sequences }: Pick<Piece, "bytes" | "sequences">, time: number): number | undefined {
  const count = sequences.reduce((sum, [, length]) => sum + length, 0);
  if (timeOf(bytes, bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1) < time) return undefined;
  for (let index = 0, start = 0; index < count; index++) {
    if (timeOf(bytes, start) >= time) return index;
    start = bytes.indexOf(NEWLINE, start) + 1;
  }
  return undefined;
}

/** The time of an envelope, without parsing it. No text of a caller precedes it in the line. */
function timeOf(bytes: Buffer, start: number): number {
  const from = bytes.indexOf(TIME, start, "latin1") + TIME.length;
  return Date.parse(bytes.toString("latin1", from, bytes.indexOf(QUOTE, from)));
}

const TIME = '"occurred_at":"';
const QUOTE = 34;
const NEWLINE = 10;
