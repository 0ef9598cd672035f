import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { countOf, lastOf } from "../../src/log/ranges.ts";
import { createRun, draft, drafts, notesOf, readWhole } from "./drafts.ts";
import { describeAppending } from "./suite-appending.ts";
import type { LogSuite } from "./suite-context.ts";
import { describeEffects } from "./suite-effects.ts";
import { describeFollowing } from "./suite-following.ts";
import { describeQueue } from "./suite-queue.ts";
import { describeReading } from "./suite-reading.ts";
import { describeRows } from "./suite-rows.ts";
import { describeUpkeep } from "./suite-upkeep.ts";

/** The behaviour of every log, whatever stores it. `open` opens the same log again until `fresh` is called; another process
 * opens it by its `address`. */
export function describeLog(
  name: string,
  harness: { open(): Promise<Log>; address(): string; fresh(): Promise<void>; clear(): Promise<void> },
): void {
  describe(name, () => {
    let log: Log;
    const opened: Log[] = [];
    const open = async () => {
      const another = await harness.open();
      opened.push(another);
      return another;
    };
    beforeEach(async () => {
      await harness.fresh();
      log = await open();
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
      await harness.clear();
    });
    const suite: LogSuite = {
      get log() {
        return log;
      },
      set log(another) {
        log = another;
      },
      open,
      address: () => harness.address(),
      create: { agent: "toy", kind: "agent" },
      whole: (run_id, from = log, after = -1) => readWhole((cursor) => from.read(run_id, { after: cursor }), after),
      wholeLog: (from = log, query = {}) => readWhole((after) => from.readAll({ ...query, after })),
    };
    describeAppending(suite);
    describeReading(suite);
    describeUpkeep(suite);
    describeFollowing(suite);
    describeEffects(suite);
    describeRows(suite);
    describeQueue(suite);

    it("refuses appends after it was closed", async () => {
      const run_id = await createRun(log, 1);
      await log.close();
      await expect(log.append([{ run_id, drafts: drafts(1) }])).rejects.toMatchObject({ code: "closed" });
    });

    it("returns any text unchanged", async () => {
      const run_id = await createRun(log, 1);
      const notes: string[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 5 }), async (texts) => {
          notes.push(...texts);
          await log.append([{ run_id, drafts: texts.map((text) => draft(text)) }]);
        }),
        { numRuns: 25 },
      );
      expect(notesOf(await suite.whole(run_id)).slice(1)).toEqual(notes);
    });

    it("returns pieces whose ranges have as many numbers as there are lines", async () => {
      const run_id = await createRun(log, 600);
      for (const { bytes, sequences, positions } of await suite.whole(run_id)) {
        expect(countOf(sequences)).toBe(bytes.toString().split("\n").length - 1);
        expect(countOf(positions)).toBe(countOf(sequences));
        expect(lastOf(sequences)).toBeLessThan(600);
      }
    });
  });
}
