import { type DamageReason, type Lost, lostPiece } from "../damage.ts";
import type { Page, Piece, ReadQuery } from "../log.ts";
import { createPage } from "../page.ts";
import { after as following, matching } from "../pieces.ts";
import { type ChunkRow, chunkOf } from "./chunk-rows.ts";
import type { DatabaseSync } from "./driver.ts";
import { failureOf } from "./failure.ts";
import { isIntact, type RunRow } from "./run-rows.ts";
import type { Store } from "./store.ts";

/** Reads pages of one run. */
export function createRunReader(database: DatabaseSync, store: Store) {
  const rows = createRowSource(database, store);

  return (run: RunRow, { after = -1, limit, maxBytes, match }: ReadQuery = {}): Page => {
    const page = createPage(limit, maxBytes);
    for (const found of believed(run, after, rows(run.run, after, match), match !== undefined)) {
      const piece = "reason" in found ? lostPiece(run, found, run.last_position) : following(found, after);
      const wanted = "reason" in found ? piece : matching(piece, match);
      if (wanted && !page.take(wanted)) return page.cut(({ sequences }) => sequences);
    }
    return page.whole(Math.max(after, run.last_sequence));
  };
}

/**
 * Holds rows against their checksums and their places: gives what is whole, and says what is lost between. Of filtered
 * rows only those that are there are judged.
 */
function* believed(
  run: RunRow,
  after: number,
  rows: Iterable<ChunkRow | Damage>,
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
  const all = database.prepare("SELECT * FROM chunks WHERE run = ? AND last_sequence > ? ORDER BY last_sequence");
  const fewer = Array.from({ length: MANY_TYPES + 1 }, (_, count) => {
    const any = Array.from({ length: count }, () => "instr(types, ?) > 0").join(" OR ") || "0";
    return database.prepare(
      `SELECT * FROM chunks WHERE run = ? AND last_sequence > ? AND (${any}) ORDER BY last_sequence`,
    );
  });

  return function* rows(run: number, after: number, match?: (type: string) => boolean): Iterable<ChunkRow | Damage> {
    const codes = match ? [...store.types.accepted(match)].map((code) => ` ${code} `) : undefined;
    const statement = (codes && fewer[codes.length]) ?? all;
    const filter = statement === all ? [] : (codes ?? []);
    try {
      yield* statement.iterate(run, after, ...filter) as unknown as Iterable<ChunkRow>;
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw failureOf(error);
      yield { broken: true };
    }
  };
}

/** With more types than this a filter accepts most chunks anyway. */
const MANY_TYPES = 8;
