import { lostPiece } from "../../gaps.ts";
import type { Page, Piece, ReadAllQuery } from "../../log.ts";
import { createPage } from "../../pieces/page.ts";
import { cutOut, matching } from "../../pieces/pieces.ts";
import { countUpTo, firstOf } from "../../ranges.ts";
import type { DatabaseSync, StatementSync } from "../driver.ts";
import type { ChunkRow } from "../tables/chunk-rows.ts";
import type { RunRow } from "../tables/run-rows.ts";
import type { Store } from "../tables/tables.ts";
import { createChunkWalk } from "./chunk-walk.ts";
import { createLostRange } from "./lost-range.ts";

/**
 * Chunks that were joined hold events between which other runs' lie. First and last position of one are less than this
 * apart, so whoever reads in the order of positions knows how far ahead to look.
 */
export const MAX_SPREAD = 16_384;

/** Chunks that are looked at in one go. */
const MOST_ROWS = 64;

/** Reads pages of the whole log, in the order of positions. */
export function createLogReader(database: DatabaseSync, store: Store) {
  const statements = createStatements(database);
  const lostRange = createLostRange(createChunkWalk(database), store);

  return (query: ReadAllQuery = {}): Page => {
    const { after = -1, limit, maxBytes, match, each } = query;
    const page = createPage(limit, maxBytes, each);
    const filter = filterOf(query, store);
    const { rows, joined } = statements(filter.conditions);
    const horizonOf = createHorizon((after, upTo) => joined.all(after, upTo, ...filter.values) as unknown as Header[]);
    // What is there now; what is appended meanwhile is for the next page.
    const end = store.chunks.lastPosition();
    let cursor = after;
    for (let wanted = 4; cursor < end; ) {
      const found = rows.all(cursor, ...filter.values, wanted) as unknown as Header[];
      const horizon = found.length < wanted ? end : horizonOf((found.at(-1) as Header).last_position);
      const segments = found
        .filter(({ first_position }) => first_position <= horizon)
        .flatMap(({ last_position }) => segmentsOf(last_position, cursor, horizon));
      // One chunk reaches far back over others: they must be seen first.
      if (segments.length === 0 && found.length === wanted) {
        wanted *= 2;
        continue;
      }
      for (const piece of segments.sort((a, b) => firstOf(a.positions) - firstOf(b.positions))) {
        const kept = matching(piece, match);
        if (kept && !page.take(kept)) return page.cut(({ positions }) => positions);
      }
      cursor = horizon;
      // The runs that a filter names are looked up for each query, so that few queries are better.
      if (filter.isByRun) wanted = Math.min(wanted * 2, MOST_ROWS);
    }
    return page.whole(Math.max(after, end));
  };

  /** What a chunk has between two positions, in stretches of consecutive ones. */
  function segmentsOf(last_position: number, after: number, upTo: number): Piece[] {
    const row = statements.chunk.get(last_position) as unknown as ChunkRow | undefined;
    const run = row && store.runs.get(row.run);
    if (!row || !run) return [];
    const chunk = store.chunkOf(row, run.run_id);
    if (!chunk) return last_position > after && last_position <= upTo ? lostAt(row, run) : [];
    const pieces: Piece[] = [];
    let index = 0;
    for (const range of chunk.positions) {
      const from = Math.min(countUpTo([range], after), range[1]);
      const to = countUpTo([range], upTo);
      if (to > from) pieces.push(cutOut(chunk, index + from, index + to));
      index += range[1];
    }
    return pieces;
  }

  /** One gap for all rows of a loss, in the place of the last of them. */
  function lostAt({ first_sequence, last_sequence, last_position }: ChunkRow, run: RunRow): Piece[] {
    const lost = lostRange(run, last_sequence);
    // What the row says of its place is damaged, too.
    if (lost.last_sequence < last_sequence) return [lostPiece(run, { ...lost, first_sequence, last_sequence })];
    return lost.position === last_position ? [lostPiece(run, lost)] : [];
  }
}

interface Header {
  first_position: number;
  last_position: number;
}

/**
 * Up to where everything is among the rows that were found, the last of which ends at a position: before the first event
 * of those that were not. Only chunks that were joined begin before others end; they are looked for far ahead at once.
 */
function createHorizon(joined: (after: number, upTo: number) => Header[]): (last: number) => number {
  let ahead: Header[] = [];
  let known = -1;
  return (last) => {
    if (last > known) {
      known = last + MAX_SPREAD;
      ahead = joined(last, known + MAX_SPREAD);
    }
    return ahead.reduce(
      (horizon, { first_position, last_position }) =>
        last_position > last ? Math.min(horizon, first_position - 1) : horizon,
      last,
    );
  };
}

function filterOf(
  { match, task_id, agent }: ReadAllQuery,
  store: Store,
): { conditions: string; values: (string | number)[]; isByRun: boolean } {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const codes = match ? [...store.types.accepted(match)] : undefined;
  // With more types than this a filter accepts most chunks anyway.
  if (codes && codes.length <= 8) {
    conditions.push(`AND (${codes.map(() => "instr(types, ?) > 0").join(" OR ") || "0"})`);
    values.push(...codes.map((code) => ` ${code} `));
  }
  for (const [column, value] of Object.entries({ task_id, agent })) {
    if (value === undefined) continue;
    // The plus keeps to the order of positions: by run, all its rows would be fetched and sorted for every few.
    conditions.push(`AND +run IN (SELECT run FROM runs WHERE ${column} = ?)`);
    values.push(value);
  }
  return { conditions: conditions.join(" "), values, isByRun: task_id !== undefined || agent !== undefined };
}

/** Statements by their conditions; there are few kinds. */
function createStatements(database: DatabaseSync) {
  const prepared = new Map<string, { rows: StatementSync; joined: StatementSync }>();
  const statements = (conditions: string) => {
    let known = prepared.get(conditions);
    if (!known) {
      known = {
        rows: database.prepare(
          `SELECT first_position, last_position FROM chunks WHERE last_position > ? ${conditions} ORDER BY last_position LIMIT ?`,
        ),
        joined: database.prepare(
          `SELECT first_position, last_position FROM chunks
             WHERE last_position > ? AND last_position <= ? AND positions IS NOT NULL ${conditions}`,
        ),
      };
      prepared.set(conditions, known);
    }
    return known;
  };
  return Object.assign(statements, { chunk: database.prepare("SELECT * FROM chunks WHERE last_position = ?") });
}
