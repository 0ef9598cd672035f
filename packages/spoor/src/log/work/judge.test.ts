import { expect, it } from "vitest";
import { damagedRow, storedRun, TYPES } from "../../../testing/log/chunks.ts";
import { type ChunkRow, chunkOf, crcOf } from "../chunks/chunk.ts";
import { judgeRun, UNREADABLE } from "./judge.ts";

const { run, rows } = storedRun([2, 3, 4]);
const [first, second, third] = rows as [ChunkRow, ChunkRow, ChunkRow];
/** A row that was changed on purpose, with a checksum that matches. */
const forged = (row: ChunkRow, changes: Partial<ChunkRow>): ChunkRow => {
  const changed = { ...row, ...changes };
  return { ...changed, crc: crcOf(changed, "run_a") };
};
const otherText = (row: ChunkRow): Buffer =>
  Buffer.from((chunkOf(row, "run_a")?.bytes.toString() ?? "").replace('"n0"', '"no"'));

it("finds no damage in an unchanged run", () => {
  expect(judgeRun(run, rows, TYPES)).toEqual({ run_id: "run_a", events: 9, head: run.head, damage: [] });
});

it.each<[string, (ChunkRow | typeof UNREADABLE)[], [number, number, string][]]>([
  ["a chunk that does not match its checksum", [first, damagedRow(second), third], [[2, 4, "corrupt"]]],
  [
    "a missing chunk",
    [first, third],
    [
      [2, 4, "missing"],
      [5, 8, "corrupt"],
    ],
  ],
  ["a missing end", [first, second], [[5, 8, "missing"]]],
  ["rows that the store cannot read", [first, UNREADABLE], [[2, 8, "corrupt"]]],
  ["a forged event", [first, forged(second, { body: otherText(second) }), third], [[2, 4, "corrupt"]]],
  ["a chunk that hides a type from filters", [first, second, forged(third, { types: " 7 " })], [[5, 8, "corrupt"]]],
])("reports %s", (_, rows, damage) => {
  expect(judgeRun(run, rows, TYPES).damage).toEqual(
    damage.map(([first_sequence, last_sequence, reason]) => ({ first_sequence, last_sequence, reason })),
  );
});

it("reports a damaged row of an intact run", () => {
  const whole = { first_sequence: 0, last_sequence: 8, reason: "corrupt" };
  expect(judgeRun({ ...run, status: "failed" }, rows, TYPES).damage).toEqual([whole]);
});
