import { type ChunkRow, MAX_SPREAD } from "../../chunks/chunk.ts";
import type { RunRow } from "../../chunks/run-row.ts";
import { lostPiece } from "../../gaps.ts";
import type { Page, Piece, ReadAllQuery } from "../../log.ts";
import { createPage } from "../../pieces/page.ts";
import { cutOut, matching } from "../../pieces/pieces.ts";
import { countUpTo, firstOf } from "../../ranges.ts";
import type { DatabaseSync, StatementSync } from "../driver.ts";
import type { Tables } from "../tables/tables.ts";
import { createChunkWalk } from "./chunk-walk.ts";
import { createLostRange } from "./lost-range.ts";

/** The most chunks that one query fetches. */
const MOST_ROWS = 64;

/** Reads pages of the whole log in the order of positions. */
export function createLogReader(database: DatabaseSync, tables: Tables) {
  const statements = createStatements(database);
  const lostRange = createLostRange(createChunkWalk(database), tables);

  return (query: ReadAllQuery = {}): Page => {
    const { after = -1, limit, maxBytes, match, each } = query;
    const page = createPage(limit, maxBytes, each);
    const filter = filterOf(query, tables);
    const { rows, joined } = statements(filter.conditions);
    const horizonOf = createHorizon((after, upTo) => joined.all(after, upTo, ...filter.values) as unknown as Header[]);
    // Later events are for the next page.
    const end = tables.chunks.lastPosition();
    let cursor = after;
    for (let wanted = 4; cursor < end; ) {
      const found = rows.all(cursor, ...filter.values, wanted) as unknown as Header[];
      const horizon = found.length < wanted ? end : horizonOf((found.at(-1) as Header).last_position);
      const segments = found
        .filter(({ first_position }) => first_position <= horizon)
        .flatMap(({ last_position }) => segmentsOf(last_position, cursor, horizon));
      // A merged chunk begins before all of these end. More rows are needed to order the events.
      if (segments.length === 0 && found.length === wanted) {
        wanted *= 2;
        continue;
      }
      for (const piece of segments.sort((a, b) => firstOf(a.positions) - firstOf(b.positions))) {
        const kept = matching(piece, match);
        if (kept && !page.take(kept)) return page.cut(({ positions }) => positions);
      }
      cursor = horizon;
      // Each query looks up the runs of the filter again, so few large queries are cheaper.
      if (filter.isByRun) wanted = Math.min(wanted * 2, MOST_ROWS);
    }
    return page.whole(Math.max(after, end));
  };

  /** The events of a chunk between two positions, one piece for each range of consecutive positions. */
  function segmentsOf(last_position: number, after: number, upTo: number): Piece[] {
    const row = statements.chunk.get(last_position) as unknown as ChunkRow | undefined;
    const run = row && tables.runs.get(row.run);
    if (!row || !run) return [];
    const chunk = tables.chunkOf(row, run.run_id);
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

  /** One gap event for all rows of a loss, in the slot of the last of them. */
  function lostAt({ first_sequence, last_sequence, last_position }: ChunkRow, run: RunRow): Piece[] {
    const lost = lostRange(run, last_sequence);
    // The sequences in the row are damaged as well.
    if (lost.last_sequence < last_sequence) return [lostPiece(run, { ...lost, first_sequence, last_sequence })];
    return lost.position === last_position ? [lostPiece(run, lost)] : [];
  }
}

interface Header {
  first_position: number;
  last_position: number;
}

/**
 * Returns up to which position the rows that were fetched hold all events, given the position where the last of them ends:
 * before the first event of any row that was not fetched. Only merged chunks begin before other chunks end; the ones far
 * ahead are looked up in one query.
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
  tables: Tables,
): { conditions: string; values: (string | number)[]; isByRun: boolean } {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const codes = match ? [...tables.types.accepted(match)] : undefined;
  // A filter that accepts more types than this accepts most chunks anyway.
  if (codes && codes.length <= 8) {
    conditions.push(`AND (${codes.map(() => "instr(types, ?) > 0").join(" OR ") || "0"})`);
    values.push(...codes.map((code) => ` ${code} `));
  }
  for (const [column, value] of Object.entries({ task_id, agent })) {
    if (value === undefined) continue;
    // The plus keeps SQLite from using the index by run: it would fetch and sort all rows of the runs for every page.
    conditions.push(`AND +run IN (SELECT run FROM runs WHERE ${column} = ?)`);
    values.push(value);
  }
  return { conditions: conditions.join(" "), values, isByRun: task_id !== undefined || agent !== undefined };
}

/** Prepared statements by their conditions. There are only a few kinds. */
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
