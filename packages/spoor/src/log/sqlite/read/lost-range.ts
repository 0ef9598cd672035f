import type { Chunk } from "../../chunks/chunk.ts";
import { isIntact, type RunRow } from "../../chunks/run-row.ts";
import type { Lost } from "../../gaps.ts";
import type { Tables } from "../tables/tables.ts";
import type { ChunkWalk } from "./chunk-walk.ts";

export type LostRange = (run: RunRow, sequence: number) => Lost;

/**
 * Finds the range of lost events around a sequence that cannot be read: from the last readable event before it to the
 * next readable one. Every reader gets the same range for the same loss, wherever it started to read.
 */
export function createLostRange(walk: ChunkWalk, tables: Tables): LostRange {
  return (run, sequence) => {
    const before = lastIntact(run, sequence);
    const { last_sequence, position, isBroken } = end(run, sequence);
    return {
      first_sequence: before.chunk ? before.chunk.last_sequence + 1 : 0,
      last_sequence,
      reason: before.isBroken || isBroken ? "corrupt" : "missing",
      at: before.chunk ? timeOf(before.chunk) : run.created_at,
      position,
    };
  };

  /** The last readable chunk before the loss, and whether unreadable rows follow it. */
  function lastIntact(run: RunRow, sequence: number): { chunk?: Chunk; isBroken: boolean } {
    let isBroken = false;
    let key = walk.before(run.run, sequence);
    for (; key !== undefined; key = walk.before(run.run, key)) {
      const row = walk.fetch(run.run, key);
      const chunk = "broken" in row ? undefined : tables.chunkOf(row, run.run_id);
      if (chunk) return { chunk, isBroken };
      isBroken = true;
    }
    return { isBroken };
  }

  /** The end of the loss. */
  function end(run: RunRow, sequence: number) {
    let last_sequence = isIntact(run) ? Math.max(run.last_sequence, sequence) : sequence;
    let position = run.last_position;
    let isBroken = false;
    let key = walk.after(run.run, sequence - 1);
    for (; key !== undefined; key = walk.after(run.run, key)) {
      const row = walk.fetch(run.run, key);
      const chunk = "broken" in row ? undefined : tables.chunkOf(row, run.run_id);
      if (chunk) return { last_sequence: chunk.first_sequence - 1, position, isBroken };
      if (!isIntact(run)) last_sequence = key;
      if (!("broken" in row)) position = row.last_position;
      isBroken = true;
    }
    return { last_sequence, position, isBroken };
  }
}

/** The time of a chunk's last event. */
function timeOf({ bytes }: Chunk): number {
  const start = bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
  return Date.parse(JSON.parse(bytes.toString("utf8", start)).occurred_at);
}

const NEWLINE = 10;
