import { describe, expect, it } from "vitest";
import type { Piece } from "../../src/log/log.ts";
import type { StoredRun } from "../../src/log/records.ts";
import { createRun, draft, eventsOf, notesOf } from "./drafts.ts";
import { expand, type LogSuite } from "./suite-context.ts";

/** Following a log, and the tapes beside it. */
export function describeFollowing(suite: LogSuite): void {
  describe("following", () => {
    it("calls listeners for every commit of any process in the order of positions", async () => {
      const other = await suite.open();
      const seen: Piece[] = [];
      const stop = suite.log.watch((piece) => seen.push(piece));
      const run_id = await createRun(suite.log, 2);
      await other.append([{ run_id, drafts: [draft("foreign")] }]);
      await suite.log.append([{ run_id, drafts: [draft("own")] }]);
      await other.append([{ run_id, drafts: [draft("last")] }]);
      await expect.poll(() => notesOf(seen)).toEqual(["n0", "n1", "foreign", "own", "last"]);
      expect(seen.flatMap(({ positions }) => positions.flatMap(expand))).toEqual([0, 1, 2, 3, 4]);
      stop();
      await createRun(suite.log, 1);
      expect(notesOf(seen)).toHaveLength(5);
    });

    it("stores an append and calls the other listeners when one of them throws", async () => {
      const warned = new Promise((resolve) => process.once("warning", resolve));
      const seen: Piece[] = [];
      suite.log.watch(() => {
        throw new Error("a listener's own fault");
      });
      suite.log.watch((piece) => seen.push(piece));
      const run_id = await createRun(suite.log, 1);
      await suite.log.append([{ run_id, drafts: [draft("next")] }]);
      expect(notesOf(seen)).toEqual(["n0", "next"]);
      expect(await warned).toMatchObject({ message: "a listener's own fault" });
    });

    it("accepts several writers of one run without a gap, a duplicate or a falling id", async () => {
      const others = [suite.log, await suite.open(), await suite.open()];
      const run_id = await createRun(suite.log, 1);
      await Promise.all(
        others.map(async (each, name) => {
          for (let index = 0; index < 30; index++) await each.append([{ run_id, drafts: [draft(`${name}.${index}`)] }]);
        }),
      );
      const events = eventsOf(await suite.whole(run_id));
      expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 91 }, (_, index) => index));
      expect(events.map(({ event_id }) => event_id)).toEqual(events.map(({ event_id }) => event_id as string).sort());
      expect(new Set(notesOf(await suite.whole(run_id))).size).toBe(91);
    });
  });

  describe("tapes", () => {
    it("returns the lines that it stored, in order", async () => {
      const lines = [
        { at: 1, from: "stdout" as const, text: '{"a":"\u2028"}' },
        { at: 2, from: "stdin" as const, text: "" },
        { at: 3, from: "exit" as const, text: '{"code":0}' },
      ];
      await suite.log.tapes.append("run_x", lines.slice(0, 2));
      await suite.log.tapes.append("run_y", lines);
      await suite.log.tapes.append("run_x", lines.slice(2));
      const read = [];
      for await (const line of suite.log.tapes.read("run_x")) read.push(line);
      expect(read).toEqual(lines);
    });

    it("stores lines that are sent twice under one key once", async () => {
      const lines = [{ at: 1, from: "stdout" as const, text: "{}" }];
      const send = (idempotency_key: string) => suite.log.tapes.append("run_x", lines, { idempotency_key });
      await Promise.all([send("k"), send("k")]);
      await send("k");
      await send("l");
      const read = [];
      for await (const line of suite.log.tapes.read("run_x")) read.push(line);
      expect(read).toEqual([...lines, ...lines]);
    });

    it("sets has_tape in a run's row with the first line", async () => {
      const run_id = await createRun(suite.log, 1);
      const { has_tape, ...before } = (await suite.log.run(run_id)) as StoredRun;
      expect(has_tape).toBeUndefined();
      await suite.log.tapes.append(run_id, []);
      expect(await suite.log.run(run_id)).toEqual(before);
      await suite.log.tapes.append(run_id, [{ at: 1, from: "stdout", text: "{}" }]);
      expect(await suite.log.run(run_id)).toEqual({ ...before, has_tape: true });
    });
  });
}
