import {
  CHUNK_BYTES,
  CHUNK_EVENTS,
  type Chunk,
  type ChunkRow,
  chunkOf,
  isCompressed,
  MAX_SPREAD,
  type NewChunk,
} from "../chunks/chunk.ts";
import { typeSet, typesIn } from "../chunks/event-types.ts";
import { factsOf, type RunRow } from "../chunks/run-row.ts";
import { countOf, firstOf, join, lastOf } from "../ranges.ts";

export interface MergePlan {
  /** Each new chunk replaces the chunks that end at these positions. */
  replacements: { removed: number[]; inserted: NewChunk }[];
  /** The sequence after which the next step continues; undefined at the run's end. */
  next: number | undefined;
}

/**
 * Plans one step of merging: joins neighbouring chunks while they are small, and compresses them if asked. Bytes, ids,
 * order and the hash chain stay as they are. `rows` are the next ones after the sequence `after`, at most `limit`.
 */
export function planMerge(
  run_id: string,
  rows: readonly ChunkRow[],
  { after, limit, compress }: { after: number; limit: number; compress: boolean },
): MergePlan {
  const groups = grouped(rows, run_id, compress);
  const replacements = groups.map((group) => ({
    removed: group.map(({ positions }) => lastOf(positions)),
    inserted: { ...joined(group), compress },
  }));
  if (rows.length < limit) return { replacements, next: undefined };
  // The last group may still grow, so the next step sees it again, unless it was all of this step.
  const last = groups.at(-1)?.at(0);
  const again = last && last.first_sequence > after + 1 ? last.first_sequence - 1 : undefined;
  return { replacements, next: again ?? (rows.at(-1) as ChunkRow).last_sequence };
}

/** Whether merging is worth reading the whole run: it has more than twice as many chunks as it needs. */
export const isWorthMerging = ({ last_sequence, bytes }: RunRow, chunks: number): boolean =>
  chunks > 2 * Math.max((last_sequence + 1) / CHUNK_EVENTS, bytes / CHUNK_BYTES);

/** Whether a run ended before a time (epoch ms). */
export const endedBefore = (run: RunRow, time: number): boolean =>
  (factsOf(run).ended_at ?? Number.POSITIVE_INFINITY) < time;

/** Neighbours that together stay within a chunk's limits, and single plain chunks to compress. Skips damaged chunks. */
function grouped(rows: readonly ChunkRow[], run_id: string, compress: boolean): Chunk[][] {
  const groups: Chunk[][] = [];
  let group: Chunk[] = [];
  let hasPlain = false;
  const close = () => {
    if (group.length > 1 || (compress && hasPlain && group.length === 1)) groups.push(group);
    group = [];
    hasPlain = false;
  };
  for (const row of rows) {
    const chunk = chunkOf(row, run_id);
    const isWhole = chunk && countOf(chunk.sequences) === chunk.last_sequence - chunk.first_sequence + 1;
    if (!chunk || !isWhole || !fits([...group, chunk])) close();
    if (!chunk || !isWhole) continue;
    group.push(chunk);
    hasPlain ||= !isCompressed(row);
  }
  close();
  return groups;
}

function fits(group: readonly Chunk[]): boolean {
  const events = group.reduce((sum, { sequences }) => sum + countOf(sequences), 0);
  const bytes = group.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
  const spread = lastOf(group.at(-1)?.positions ?? []) - firstOf(group[0]?.positions ?? []);
  const isConsecutive = group.every(
    (chunk, index) => index === 0 || chunk.first_sequence === (group[index - 1]?.last_sequence ?? 0) + 1,
  );
  return isConsecutive && events <= CHUNK_EVENTS && bytes <= CHUNK_BYTES && spread < MAX_SPREAD;
}

function joined(group: readonly Chunk[]): NewChunk {
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
