import type { Chunk, ChunkRow } from "../../chunks/chunk.ts";
import { isIntact, type RunRow } from "../../chunks/run-row.ts";
import { type Lost, lostPiece } from "../../gaps.ts";
import type { Page, ReadQuery } from "../../log.ts";
import { createPage } from "../../pieces/page.ts";
import { after as following, matching } from "../../pieces/pieces.ts";
import { lastOf } from "../../ranges.ts";
import type { DatabaseSync, StatementSync } from "../driver.ts";
import { failureOf } from "../failure.ts";
import { CHUNK_COLUMNS, chunkRowOf } from "../tables/chunk-rows.ts";
import type { Tables } from "../tables/tables.ts";
import { type BrokenRow, type ChunkWalk, createChunkWalk } from "./chunk-walk.ts";
import { createLostRange, type LostRange } from "./lost-range.ts";

/** Reads pages of one run. */
export function createRunReader(database: DatabaseSync, tables: Tables) {
  const walk = createChunkWalk(database);
  const rows = createRowSource(database, tables, walk);
  const lostRange = createLostRange(walk, tables);

  return (run: RunRow, { after = -1, limit, maxBytes, match, each }: ReadQuery = {}): Page => {
    const page = createPage(limit, maxBytes, each);
    const source = rows(run.run, after, match);
    const isFiltered = match !== undefined;
    let last = Math.max(after, run.last_sequence);
    for (const found of checked(run, after, each ? releasing(source) : source, { tables, lostRange, isFiltered })) {
      const piece = "reason" in found ? lostPiece(run, found) : following(found, after);
      const wanted = matching(piece, match);
      // Another process may have committed since the run's own row was read.
      last = Math.max(last, lastOf(piece.sequences));
      if (wanted && !page.take(wanted)) return page.cut(({ sequences }) => sequences);
    }
    return page.whole(last);
  };
}

/** Frees the memory of each row's body, which is a buffer of its own, once the consumer asks for the next row. */
function* releasing(rows: Iterable<ChunkRow | BrokenRow>): Iterable<ChunkRow | BrokenRow> {
  for (const row of rows) {
    try {
      yield row;
    } finally {
      if ("body" in row) (row.body.buffer as ArrayBuffer).transfer(0);
    }
  }
}

interface Check {
  tables: Tables;
  lostRange: LostRange;
  /** Rows without any type that the filter accepts are skipped, so a missing row cannot be detected. */
  isFiltered: boolean;
}

/** Compares rows with their checksums and their sequences: yields the intact chunks and the losses between them. */
function* checked(
  run: RunRow,
  after: number,
  rows: Iterable<ChunkRow | BrokenRow>,
  { tables, lostRange, isFiltered }: Check,
): Iterable<Chunk | Lost> {
  let expected = after + 1;
  let isBroken = false;
  for (const row of rows) {
    const chunk = "broken" in row ? undefined : tables.chunkOf(row, run.run_id);
    const isHole = chunk ? chunk.first_sequence > expected && !isFiltered : isFiltered;
    const lost = isHole ? lostRange(run, chunk ? chunk.first_sequence - 1 : row.last_sequence) : undefined;
    if (lost && lost.last_sequence >= expected) {
      yield lost;
      expected = lost.last_sequence + 1;
    }
    // A damaged index may return a row a second time.
    if (!chunk || chunk.last_sequence < expected) {
      isBroken = true;
      continue;
    }
    yield chunk;
    expected = chunk.last_sequence + 1;
    isBroken = false;
  }
  const isMissing = expected <= run.last_sequence && isIntact(run) && (!isFiltered || isBroken);
  if (isMissing) yield lostRange(run, run.last_sequence);
}

/** A run's rows in order, each fetched on demand. With a filter of few types, SQLite skips the chunks without them. */
function createRowSource(database: DatabaseSync, tables: Tables, walk: ChunkWalk) {
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

  return function* rows(run: number, after: number, match?: (type: string) => boolean): Iterable<ChunkRow | BrokenRow> {
    const codes = match ? [...tables.types.accepted(match)].map((code) => ` ${code} `) : undefined;
    const statement = (codes && fewer[codes.length]) ?? all;
    const filter = statement === all ? [] : (codes ?? []);
    let last = after;
    try {
      const found = statement.iterate(run, after, ...filter) as unknown as Iterable<unknown[]>;
      for (const values of found) {
        const row = chunkRowOf(values);
        last = row.last_sequence;
        yield row;
      }
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw failureOf(error);
      // SQLite cannot read past the damage in one query. Fetching row by row finds the intact rows behind it.
      for (let key = walk.after(run, last); key !== undefined; key = walk.after(run, key)) yield walk.fetch(run, key);
    }
  };
}

/** A filter that accepts more types than this accepts most chunks anyway. */
const MANY_TYPES = 8;
