import { CHUNK_BYTES, CHUNK_EVENTS } from "../../chunks/compose.ts";
import { typeSet, typesIn } from "../../chunks/event-types.ts";
import type { Upkeep } from "../../log.ts";
import { countOf, firstOf, join, lastOf } from "../../ranges.ts";
import { MAX_SPREAD } from "../read/read-all.ts";
import { type Chunk, type ChunkRow, chunkOf } from "../tables/chunk-rows.ts";
import type { RunRow } from "../tables/run-rows.ts";
import type { Workshop } from "./upkeep.ts";

/** Rows looked at in one transaction: commits of others wait no longer than for these. Compressing takes longer than joining. */
const STEP = 64;
const COMPRESS_STEP = 16;

/** Joins neighbouring chunks of a run while they are small. Bytes, ids, order and the hash chain stay as they are. */
export function createMerge({ database, store, transaction }: Workshop): Upkeep["merge"] {
  const allRuns = database.prepare("SELECT * FROM runs WHERE run > ? ORDER BY run LIMIT 1");
  const rows = database.prepare(
    "SELECT * FROM chunks WHERE run = ? AND last_sequence > ? ORDER BY last_sequence LIMIT ?",
  );

  const count = database.prepare("SELECT count(*) AS chunks FROM chunks WHERE run = ?");
  const plain = database.prepare("SELECT 1 FROM chunks WHERE run = ? AND encoding = 0 LIMIT 1");

  return async ({ run_id, coldBefore = Number.NEGATIVE_INFINITY } = {}) => {
    const total = { before: 0, after: 0 };
    const chosen = run_id === undefined ? undefined : store.runs.find(run_id);
    for (let run = chosen ?? next(0); run; run = chosen ? undefined : next(run.run)) {
      const compress = endedAt(run) < coldBefore;
      const chunks = Number(count.get(run.run)?.chunks);
      if (compress ? !plain.get(run.run) : chunks <= 2 * leastChunks(run)) {
        total.before += chunks;
        total.after += chunks;
        continue;
      }
      for (let cursor: number | undefined = -1; cursor !== undefined; ) {
        const { run: key, run_id } = run;
        const from: number = cursor;
        cursor = await transaction(() => step(key, run_id, from, compress, total));
        // Others get their turn.
        await new Promise(setImmediate);
      }
    }
    return total;
  };

  function next(after: number): RunRow | undefined {
    return allRuns.get(after) as unknown as RunRow | undefined;
  }

  /** Joins what it can of the next rows; returns where to go on, or undefined at the end. */
  function step(run: number, run_id: string, cursor: number, compress: boolean, total: Total): number | undefined {
    const most = compress ? COMPRESS_STEP : STEP;
    const found = rows.all(run, cursor, most) as unknown as ChunkRow[];
    const groups = grouped(found, run_id, compress);
    total.before += found.length;
    total.after += found.length;
    for (const group of groups) {
      total.after -= group.length - 1;
      for (const chunk of group) store.chunks.delete(lastOf(chunk.positions));
      store.chunks.insert({ ...joined(group), compress });
    }
    if (found.length < most) return undefined;
    // The last group may still grow: it is looked at again, unless it was all there is.
    const last = groups.at(-1)?.at(0);
    const again = last && last.first_sequence > cursor + 1 ? last.first_sequence - 1 : undefined;
    return again ?? (found.at(-1) as ChunkRow).last_sequence;
  }
}

/** What a run would take in full chunks. At twice as many there is nothing to gain that is worth reading it all. */
const leastChunks = ({ last_sequence, bytes }: RunRow): number =>
  Math.max((last_sequence + 1) / CHUNK_EVENTS, bytes / CHUNK_BYTES);

interface Total {
  before: number;
  after: number;
}

/** Neighbours that together stay within a chunk's limits, and lone plain ones that are to be compressed. Damage is left as it is. */
function grouped(found: readonly ChunkRow[], run_id: string, compress: boolean): Chunk[][] {
  const groups: Chunk[][] = [];
  let group: Chunk[] = [];
  let isPlain = false;
  const close = () => {
    if (group.length > 1 || (compress && isPlain && group.length === 1)) groups.push(group);
    group = [];
    isPlain = false;
  };
  for (const row of found) {
    const chunk = chunkOf(row, run_id);
    const isWhole = chunk && countOf(chunk.sequences) === chunk.last_sequence - chunk.first_sequence + 1;
    if (!chunk || !isWhole || !fits([...group, chunk])) close();
    if (!chunk || !isWhole) continue;
    group.push(chunk);
    isPlain ||= row.encoding === 0;
  }
  close();
  return groups;
}

function fits(group: readonly Chunk[]): boolean {
  const events = group.reduce((sum, { sequences }) => sum + countOf(sequences), 0);
  const bytes = group.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
  const spread = lastOf(group.at(-1)?.positions ?? []) - firstOf(group[0]?.positions ?? []);
  const isNext = group.every(
    (chunk, index) => index === 0 || chunk.first_sequence === (group[index - 1]?.last_sequence ?? 0) + 1,
  );
  return isNext && events <= CHUNK_EVENTS && bytes <= CHUNK_BYTES && spread < MAX_SPREAD;
}

function joined(group: readonly Chunk[]) {
  const first = group[0] as Chunk;
  const last = group.at(-1) as Chunk;
  return {
    run: first.run,
    run_id: first.run_id,
    first_sequence: first.first_sequence,
    last_sequence: last.last_sequence,
    events: group.reduce((sum, { sequences }) => sum + countOf(sequences), 0),
    positions: join(...group.map(({ positions }) => positions)),
    types: typeSet(new Set(group.flatMap(({ types }) => typesIn(types)))),
    head: last.head,
    bytes: group.length === 1 ? first.bytes : Buffer.concat(group.map(({ bytes }) => bytes)),
  };
}

function endedAt({ facts }: RunRow): number {
  try {
    return (JSON.parse(facts) as { ended_at?: number }).ended_at ?? Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
