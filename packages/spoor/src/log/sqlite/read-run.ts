import { type DamageReason, type Lost, lostPiece } from "../damage.ts";
import type { Page, Piece, ReadQuery } from "../log.ts";
import { createPage } from "../page.ts";
import { after as following, matching } from "../pieces.ts";
import { lastOf } from "../ranges.ts";
import { CHUNK_COLUMNS, type ChunkRow, rowOf } from "./chunk-rows.ts";
import type { DatabaseSync, StatementSync } from "./driver.ts";
import { failureOf } from "./failure.ts";
import { isIntact, type RunRow } from "./run-rows.ts";
import type { Store } from "./store.ts";

/** Reads pages of one run. */
export function createRunReader(database: DatabaseSync, store: Store) {
  const rows = createRowSource(database, store);

  return (run: RunRow, { after = -1, limit, maxBytes, match, each }: ReadQuery = {}): Page => {
    const page = createPage(limit, maxBytes, each);
    const source = rows(run.run, after, match);
    let last = Math.max(after, run.last_sequence);
    for (const found of believed(run, after, each ? passing(source) : source, store.chunkOf, match !== undefined)) {
      const piece = "reason" in found ? lostPiece(run, found, run.last_position) : following(found, after);
      const wanted = matching(piece, match);
      // Another process may have committed since the run's own row was read.
      last = Math.max(last, lastOf(piece.sequences));
      if (wanted && !page.take(wanted)) return page.cut(({ sequences }) => sequences);
    }
    return page.whole(last);
  };
}

/** Gives back the memory of each row's body, which is a buffer of its own, once the row was dealt with. */
function* passing(rows: Iterable<ChunkRow | Damage>): Iterable<ChunkRow | Damage> {
  for (const row of rows) {
    try {
      yield row;
    } finally {
      if ("body" in row) (row.body.buffer as ArrayBuffer).transfer(0);
    }
  }
}

/**
 * Holds rows against their checksums and their places: gives what is whole, and says what is lost between. Of filtered
 * rows only those that are there are judged.
 */
function* believed(
  run: RunRow,
  after: number,
  rows: Iterable<ChunkRow | Damage>,
  chunkOf: Store["chunkOf"],
  filtered: boolean,
): Iterable<Piece | Lost> {
  let expected = after + 1;
  let reason: DamageReason = "missing";
  for (const row of rows) {
    const chunk = "broken" in row ? undefined : chunkOf(row, run.run_id);
    // A damaged index may lead to a row a second time.
    if (!chunk || chunk.last_sequence < expected) {
      reason = "corrupt";
      continue;
    }
    const isMissing = chunk.first_sequence > expected && (!filtered || reason === "corrupt");
    if (isMissing) yield { first_sequence: expected, last_sequence: chunk.first_sequence - 1, reason };
    yield chunk;
    expected = chunk.last_sequence + 1;
    reason = "missing";
  }
  const isMissing = expected <= run.last_sequence && isIntact(run) && (!filtered || reason === "corrupt");
  if (isMissing) yield { first_sequence: expected, last_sequence: run.last_sequence, reason };
}

/** Stands for all the rows that could not be read. */
interface Damage {
  broken: true;
}

/** A run's rows in order, each fetched when it is asked for. A filter of few types lets the store pass over chunks without them. */
function createRowSource(database: DatabaseSync, store: Store) {
  const prepare = (condition: string): StatementSync => {
    const select = `SELECT ${CHUNK_COLUMNS} FROM chunks WHERE run = ? AND last_sequence > ?`;
    const statement = database.prepare(`${select} ${condition} ORDER BY last_sequence`);
    statement.setReturnArrays(true);
    return statement;
  };
  const all = prepare("");
  const fewer = Array.from({ length: MANY_TYPES + 1 }, (_, count) => {
    const any = Array.from({ length: count }, () => "instr(types, ?) > 0").join(" OR ") || "0";
    return prepare(`AND (${any})`);
  });

  return function* rows(run: number, after: number, match?: (type: string) => boolean): Iterable<ChunkRow | Damage> {
    const codes = match ? [...store.types.accepted(match)].map((code) => ` ${code} `) : undefined;
    const statement = (codes && fewer[codes.length]) ?? all;
    const filter = statement === all ? [] : (codes ?? []);
    try {
      const found = statement.iterate(run, after, ...filter) as unknown as Iterable<unknown[]>;
      for (const values of found) yield rowOf(values);
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw failureOf(error);
      yield { broken: true };
    }
  };
}

/** With more types than this a filter accepts most chunks anyway. */
const MANY_TYPES = 8;
