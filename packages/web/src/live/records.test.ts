import type { RunRecord } from "@spoor/protocol/client";
import { expect, it } from "vitest";
import { createRecords } from "./records.ts";

const row = (index: number, position = index) =>
  ({ run_id: `run_${index}`, last_position: position }) as unknown as RunRecord;

it("a tab that stays open forgets the rows that were read longest ago, but none that is shown or was just read", () => {
  const records = createRecords({
    get: () => Promise.reject(new Error("nobody asks")),
    newest: async () => [],
    schedule: { after: () => () => {}, now: () => 0 },
  });
  const isKnown = (index: number) => records.read(`run_${index}`) !== undefined;
  const stop = records.listen(
    () => {},
    () => ["run_0", "run_7"],
  );
  for (let index = 0; index < 2_000; index += 1) records.add([row(index)]);
  expect([0, 1, 7, 1_999].map(isKnown)).toEqual([true, true, true, true]);
  records.add([row(3, 9_999)]);
  for (let index = 2_000; index < 10_000; index += 1) records.add([row(index)]);
  expect([0, 1, 3, 7, 5_000, 9_999].map(isKnown)).toEqual([true, false, false, true, false, true]);
  const known = Array.from({ length: 10_000 }, (_, index) => index).filter(isKnown);
  expect(known.length).toBeLessThanOrEqual(2_000);
  expect(known.length).toBeGreaterThan(1_000);
  // A page of a list is read again, unchanged but for one new row, before anybody holds it.
  const page = known.filter((index) => index > 7).slice(0, 60);
  for (let index = 20_000; known.length + index - 20_000 < 2_000; index += 1) records.add([row(index)]);
  records.add([...page, 30_000].map((index) => row(index)));
  expect(page.filter((index) => !isKnown(index))).toEqual([]);
  stop();
  for (let index = 10_000; index < 13_000; index += 1) records.add([row(index)]);
  expect([0, 7].map(isKnown)).toEqual([false, false]);
});
