import fc from "fast-check";
import { expect, it } from "vitest";
import { damagedRow, storedRun } from "../../../testing/log/chunks.ts";
import { CHUNK_EVENTS, type ChunkRow, chunkOf, isCompressed, rowOf } from "../chunks/chunk.ts";
import { isWorthMerging, planMerge } from "./merge-plan.ts";

/** Does what a store does with the plans of all steps. */
function merged(rows: readonly ChunkRow[], limit: number, compress = false): ChunkRow[] {
  let stored = [...rows];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const from: number = after;
    const found = stored.filter(({ last_sequence }) => last_sequence > from).slice(0, limit);
    const { replacements, next } = planMerge("run_a", found, { after: from, limit, compress });
    for (const { removed, inserted } of replacements) {
      stored = stored.filter(({ last_position }) => !removed.includes(last_position));
      stored.push(rowOf(inserted));
      stored.sort((a, b) => a.last_sequence - b.last_sequence);
    }
    if (next !== undefined) expect(next).toBeGreaterThan(from);
    after = next;
  }
  return stored;
}

const textOf = (rows: readonly ChunkRow[]): string =>
  rows.map((row) => chunkOf(row, "run_a")?.bytes.toString() ?? "damaged\n").join("");
const positionsOf = (rows: readonly ChunkRow[]) =>
  rows.flatMap((row) => chunkOf(row, "run_a")?.positions ?? []).flatMap(([first, count]) => [first, first + count - 1]);

it("joins chunks of any sizes and keeps their bytes, positions and last hash", () => {
  const counts = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(counts, fc.nat(3), fc.integer({ min: 2, max: 8 }), fc.boolean(), (counts, between, limit, compress) => {
      const { rows } = storedRun(counts, between);
      const result = merged(rows, limit, compress);
      expect(textOf(result)).toBe(textOf(rows));
      expect(result.at(-1)?.head).toBe(rows.at(-1)?.head);
      expect(positionsOf(result).at(0)).toBe(positionsOf(rows).at(0));
      expect(positionsOf(result).at(-1)).toBe(positionsOf(rows).at(-1));
      expect(result.length).toBeLessThanOrEqual(rows.length);
      for (const { events } of result) expect(events).toBeLessThanOrEqual(CHUNK_EVENTS);
      if (compress) expect(result.every(isCompressed)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it("leaves a damaged chunk as it is and joins the chunks on both sides of it", () => {
  const { rows } = storedRun([1, 2, 3, 4, 5]);
  const damaged = rows.map((row, index) => (index === 2 ? damagedRow(row) : row));
  const result = merged(damaged, 64);
  expect(result.map(({ events }) => events)).toEqual([3, 3, 9]);
  expect(result[1]).toEqual(damaged[2]);
});

it("does not join chunks that are too far apart in the log", () => {
  expect(merged(storedRun([1, 1, 1], 10_000).rows, 64)).toHaveLength(2);
});

it("is worth it for more than twice as many chunks as needed", () => {
  const { run } = storedRun([CHUNK_EVENTS]);
  expect([2, 3].map((chunks) => isWorthMerging(run, chunks))).toEqual([false, true]);
});
