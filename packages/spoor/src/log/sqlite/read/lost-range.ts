import type { Lost } from "../../gaps.ts";
import type { Chunk } from "../tables/chunk-rows.ts";
import { isIntact, type RunRow } from "../tables/run-rows.ts";
import type { Store } from "../tables/tables.ts";
import type { ChunkWalk } from "./chunk-walk.ts";

export type LostRange = (run: RunRow, sequence: number) => Lost;

/**
 * Finds out how far a loss reaches around a sequence that cannot be read: from the last event before it that can be, to the
 * next one. Whoever comes upon the same loss, from wherever it reads, gets the same answer.
 */
export function createLostRange(walk: ChunkWalk, store: Store): LostRange {
  return (run, sequence) => {
    const before = lastWhole(run, sequence);
    const { last_sequence, position, isBroken } = end(run, sequence);
    return {
      first_sequence: before.chunk ? before.chunk.last_sequence + 1 : 0,
      last_sequence,
      reason: before.isBroken || isBroken ? "corrupt" : "missing",
      at: before.chunk ? timeOf(before.chunk) : run.created_at,
      position,
    };
  };

  /** The chunk before the loss, and whether rows that cannot be read lie between. */
  function lastWhole(run: RunRow, sequence: number): { chunk?: Chunk; isBroken: boolean } {
    let isBroken = false;
    let key = walk.before(run.run, sequence);
    for (; key !== undefined; key = walk.before(run.run, key)) {
      const row = walk.fetch(run.run, key);
      const chunk = "broken" in row ? undefined : store.chunkOf(row, run.run_id);
      if (chunk) return { chunk, isBroken };
      isBroken = true;
    }
    return { isBroken };
  }

  /** Where the loss ends. */
  function end(run: RunRow, sequence: number) {
    let last_sequence = isIntact(run) ? Math.max(run.last_sequence, sequence) : sequence;
    let position = run.last_position;
    let isBroken = false;
    let key = walk.after(run.run, sequence - 1);
    for (; key !== undefined; key = walk.after(run.run, key)) {
      const row = walk.fetch(run.run, key);
      const chunk = "broken" in row ? undefined : store.chunkOf(row, run.run_id);
      if (chunk) return { last_sequence: chunk.first_sequence - 1, position, isBroken };
      if (!isIntact(run)) last_sequence = key;
      if (!("broken" in row)) position = row.last_position;
      isBroken = true;
    }
    return { last_sequence, position, isBroken };
  }
}

/** Of a chunk's last event. */
function timeOf({ bytes }: Chunk): number {
  const start = bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
  return Date.parse(JSON.parse(bytes.toString("utf8", start)).occurred_at);
}

const NEWLINE = 10;
