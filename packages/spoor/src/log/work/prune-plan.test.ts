import fc from "fast-check";
import { expect, it } from "vitest";
import { damagedRow, storedRun, TYPES } from "../../../testing/log/chunks.ts";
import { type ChunkRow, chunkOf, rowOf } from "../chunks/chunk.ts";
import { type RunRow, runCrc } from "../chunks/run-row.ts";
import { judgeRun } from "./judge.ts";
import { planPrune } from "./prune-plan.ts";

const order = { reason: "operator" as const, now: 5, event_id: "evt_1", typeCode: 2 };
const types = new Map([...TYPES, ["gap.events_pruned", 2]]);

/** Does what a store does with the plan. */
function pruned(run: RunRow, rows: readonly ChunkRow[], through: number): { run: RunRow; rows: ChunkRow[] } {
  const found = rows.filter(({ first_sequence }) => first_sequence <= through);
  const plan = planPrune(run, found, { ...order, through });
  if (!plan) return { run, rows: [...rows] };
  const kept = rows.filter(({ last_position }) => !plan.removed.includes(last_position));
  const after = { ...run, bytes: plan.bytes };
  return { run: { ...after, crc: runCrc(after) }, rows: [...plan.inserted.map(rowOf), ...kept] };
}

const linesOf = (rows: readonly ChunkRow[]): string[] =>
  rows.flatMap((row) => chunkOf(row, "run_a")?.bytes.toString().split("\n").slice(0, -1) ?? []);

it("replaces the events up to any sequence by one gap, and the rest still verifies", () => {
  const counts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(counts, fc.array(fc.nat(29), { minLength: 1, maxLength: 3 }), (counts, places) => {
      const before = storedRun(counts, 2);
      const last = before.run.last_sequence;
      let after: { run: RunRow; rows: ChunkRow[] } = before;
      for (const through of places.map((place) => place % (last + 1))) after = pruned(after.run, after.rows, through);
      const through = Math.max(...places.map((place) => place % (last + 1)));
      const [gap = "", ...rest] = linesOf(after.rows);
      expect(JSON.parse(gap)).toMatchObject({
        type: "gap.events_pruned",
        sequence: through,
        data: { first_pruned_sequence: 0, last_pruned_sequence: through, reason: "operator", agent: "toy" },
      });
      expect(rest).toEqual(linesOf(before.rows).slice(through + 1));
      expect(judgeRun(after.run, after.rows, types)).toMatchObject({ head: before.run.head, damage: [] });
      expect(after.run.bytes).toBe(Buffer.byteLength([gap, ...rest].map((line) => `${line}\n`).join("")));
    }),
  );
});

it("removes damaged chunks before the cut, and refuses to cut in a damaged chunk", () => {
  const { run, rows } = storedRun([2, 2, 2]);
  const damaged = [damagedRow(rows[0] as ChunkRow), ...rows.slice(1)];
  expect(linesOf(pruned(run, damaged, 2).rows)).toHaveLength(4);
  expect(() => pruned(run, damaged, 1)).toThrow("The run run_a cannot be pruned through event 1");
});
