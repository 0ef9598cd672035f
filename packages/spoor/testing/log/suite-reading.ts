import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Piece } from "../../src/log/log.ts";
import type { RunFacts, RunQuery } from "../../src/log/records.ts";
import {
  bytesOf,
  createRun,
  draft,
  drafts,
  eventsOf,
  linesOf,
  newRunId,
  newTaskId,
  notesOf,
  readWhole,
} from "./drafts.ts";
import { after, expand, type LogSuite } from "./suite-context.ts";

/** Reading runs, lists and the whole log. */
export function describeReading(suite: LogSuite): void {
  describe("reading", () => {
    it("returns the events after a cursor, and all events without one", async () => {
      const run_id = await createRun(suite.log, 10);
      expect(notesOf((await suite.log.read(run_id, { after: 6 })).pieces)).toEqual(["n7", "n8", "n9"]);
      expect(notesOf((await suite.log.read(run_id)).pieces)).toHaveLength(10);
      expect(await suite.log.read(run_id, { after: 9 })).toEqual({ pieces: [], next: 9, more: false });
      expect(await suite.log.read(run_id, { after: 500 })).toEqual({ pieces: [], next: 500, more: false });
    });

    it("returns pages of any size that join without a hole or a duplicate", async () => {
      const run_id = await createRun(suite.log, 400);
      for (let index = 0; index < 20; index++) await suite.log.append([{ run_id, drafts: drafts(3) }]);
      const all = bytesOf(await suite.whole(run_id));
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 20, max: 300 }),
          fc.integer({ min: 2_000, max: 60_000 }),
          async (limit, maxBytes) => {
            const pieces = await readWhole((after) => suite.log.read(run_id, { after, limit, maxBytes }));
            const spread = await readWhole((after) => suite.log.readAll({ after, limit, maxBytes }));
            expect(bytesOf(pieces).equals(all)).toBe(true);
            expect(bytesOf(spread).equals(all)).toBe(true);
          },
        ),
        { numRuns: 12 },
      );
    });

    it("returns what the store holds, whichever process wrote, pruned or merged", async () => {
      const logs = [suite.log, await suite.open()];
      const run_id = await createRun(suite.log, 3);
      const step = fc.tuple(fc.constantFrom(...logs), fc.constantFrom("append", "prune", "merge", "look"), fc.nat(9));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
          for (const [actor, what, count] of steps) {
            const last = (await actor.run(run_id))?.last_sequence ?? 0;
            if (what === "append") await actor.append([{ run_id, drafts: drafts(1 + count) }]);
            if (what === "prune") await actor.upkeep.prune(run_id, last - count, "operator");
            if (what === "merge") await actor.upkeep.merge({ run_id });
            const stored = linesOf(await suite.wholeLog(actor));
            for (const each of logs) expect(linesOf(await suite.whole(run_id, each))).toEqual(stored);
            for (const each of logs)
              expect(linesOf(await suite.whole(run_id, each, last))).toEqual(after(stored, last));
          }
        }),
        { numRuns: 40 },
      );
    });

    it("passes the same pieces to `each` as it returns without it", async () => {
      const run_id = await createRun(suite.log, 300);
      for (let index = 0; index < 5; index++) await suite.log.append([{ run_id, drafts: drafts(100, "my.kind") }]);
      const match = (type: string) => type === "my.kind";
      for (const query of [{}, { after: 17, limit: 500 }, { after: 270, limit: 9 }, { maxBytes: 9_000 }, { match }]) {
        for (const read of [
          (each: object) => suite.log.read(run_id, { ...query, ...each }),
          suite.log.readAll.bind(suite.log),
        ]) {
          const expected = await read(query);
          const lines: string[] = [];
          const each = (piece: Piece) => lines.push(...linesOf([piece]));
          expect(await read({ ...query, each })).toEqual({ ...expected, pieces: [] });
          expect(lines).toEqual(linesOf(expected.pieces));
        }
      }
    });

    it("leaves out events that a filter does not accept, and returns how far it looked", async () => {
      const run_id = await createRun(suite.log, 300);
      await suite.log.append([{ run_id, drafts: [draft("a", "my.kind"), draft("b"), draft("c", "my.kind")] }]);
      await suite.log.append([{ run_id, drafts: drafts(300) }]);
      const match = (type: string) => type === "my.kind";
      const page = await suite.log.read(run_id, { match });
      expect(notesOf(page.pieces)).toEqual(["a", "c"]);
      expect(page.pieces.flatMap(({ sequences }) => sequences.flatMap(expand))).toEqual([300, 302]);
      expect(page).toMatchObject({ next: 602, more: false });
      expect(notesOf((await suite.log.readAll({ match, limit: 1 })).pieces)).toEqual(["a"]);
      expect(notesOf((await suite.log.readAll({ match: (type) => type !== "external.event" })).pieces)).toEqual([
        "a",
        "c",
      ]);
      expect(await suite.log.read(run_id, { match: (type) => type === "no.such" })).toEqual({
        pieces: [],
        next: 602,
        more: false,
      });
    });

    it("reads all runs, those of a task or those of an agent in the order of commits", async () => {
      const task_id = newTaskId();
      const [one, other] = [newRunId(), newRunId()];
      await suite.log.append([{ run_id: one, create: { ...suite.create, task_id }, drafts: [draft("1")] }]);
      await suite.log.append([{ run_id: other, create: { ...suite.create, agent: "other" }, drafts: [draft("2")] }]);
      await suite.log.append([{ run_id: one, drafts: [draft("3")] }]);
      expect(notesOf(await suite.wholeLog())).toEqual(["1", "2", "3"]);
      expect(notesOf(await suite.wholeLog(suite.log, { task_id }))).toEqual(["1", "3"]);
      expect(notesOf(await suite.wholeLog(suite.log, { agent: "other" }))).toEqual(["2"]);
    });

    it("reports a run that does not exist", async () => {
      await expect(suite.log.read("run_none")).rejects.toMatchObject({ code: "run_not_found" });
      expect(await suite.log.run("run_none")).toBeUndefined();
      expect(await suite.log.task("task_none")).toBeUndefined();
    });

    it("finds the first event at or after any time, whatever order runs were committed in", async () => {
      const story = fc.array(fc.record({ run: fc.nat(3), times: fc.array(fc.nat(30), { minLength: 1 }) }), {
        minLength: 1,
      });
      await fc.assert(
        fc.asyncProperty(story, fc.boolean(), async (appends, isMerged) => {
          const runs = Array.from({ length: 4 }, () => newRunId());
          const from = suite.log.lastPosition + 1;
          for (const { run, times } of appends) {
            const run_id = runs[run] as string;
            const isNew = (await suite.log.run(run_id)) === undefined;
            const drafted = times.map((time) => draft("x", "external.event", from * 1_000 + time));
            await suite.log.append([{ run_id, ...(isNew && { create: suite.create }), drafts: drafted }]);
          }
          if (isMerged) await suite.log.upkeep.merge();
          const events = eventsOf(await readWhole((after) => suite.log.readAll({ after }), from - 1));
          for (let time = 0; time <= 31; time++) {
            const since = from * 1_000 + time;
            const index = events.findIndex(({ occurred_at }) => Date.parse(occurred_at as string) >= since);
            const expected = index === -1 ? suite.log.lastPosition : from + index - 1;
            expect(await suite.log.positionBefore(since)).toBe(expected);
          }
        }),
        { numRuns: 50 },
      );
    });

    it("lists runs and tasks newest first, in pages", async () => {
      const task_id = newTaskId();
      const runs: string[] = [];
      for (let index = 0; index < 5; index++) {
        const run_id = newRunId();
        const facts = { title: `t${index}`, status: index % 2 ? ("completed" as const) : ("running" as const) };
        await suite.log.append([
          { run_id, create: { ...suite.create, ...(index < 2 && { task_id }) }, drafts: drafts(1), facts },
        ]);
        runs.unshift(run_id);
      }
      const ids = (list: { runs: { run_id: string }[] }) => list.runs.map(({ run_id }) => run_id);
      expect(ids(await suite.log.runs())).toEqual(runs);
      const page = await suite.log.runs({ limit: 2 });
      expect(page.more).toBe(true);
      expect(ids(await suite.log.runs({ limit: 2, before: page.runs[1]?.run_id ?? "" }))).toEqual(runs.slice(2, 4));
      expect(ids(await suite.log.runs({ status: "completed" }))).toEqual([runs[1], runs[3]]);
      expect(ids(await suite.log.runs({ task_id }))).toEqual(runs.slice(3));
      expect(await suite.log.task(task_id)).toMatchObject({ title: "t0", run_count: 2, latest_run_id: runs[3] });
      const { tasks, more } = await suite.log.tasks({ limit: 3 });
      expect([tasks.length, more]).toEqual([3, true]);
      expect((await suite.log.tasks({ before: tasks[2]?.task_id ?? "" })).tasks).toMatchObject([{ task_id }]);
    });

    it("lists runs by words of the title and the id, model, state, folder and kind, in pages", async () => {
      const add = async (facts: RunFacts, kind = "agent") => {
        const run_id = newRunId();
        await suite.log.append([{ run_id, create: { agent: "toy", kind }, drafts: drafts(1), facts }]);
        return run_id;
      };
      const first = await add({ title: "Fix the BUILD of Änne", model: "m1", state: "done", workspace_path: "/w/a" });
      const second = await add({ title: "fix a test", model: "m2", state: "working", workspace_path: "/w/a/deep" });
      const third = await add({ model: "m1", state: "working", workspace_path: "/w/ab" }, "shell");
      const list = async (query: RunQuery) => (await suite.log.runs(query)).runs.map(({ run_id }) => run_id);
      expect(await list({ q: "fix" })).toEqual([second, first]);
      expect(await list({ q: " build  ÄNNE " })).toEqual([first]);
      expect(await list({ q: `fix ${second.slice(-8).toLowerCase()}` })).toEqual([second]);
      expect(await list({ q: "fix nothing" })).toEqual([]);
      expect(await list({ q: "", kind: "agent" })).toEqual([second, first]);
      expect(await list({ model: "m1" })).toEqual([third, first]);
      expect(await list({ model: "m1", state: "done" })).toEqual([first]);
      expect(await list({ path: "/w/a" })).toEqual([second, first]);
      expect(await list({ path: "/w/a/" })).toEqual([second, first]);
      expect(await list({ path: "/" })).toEqual([third, second, first]);
      expect(await list({ kind: "shell" })).toEqual([third]);
      expect(await suite.log.runs({ model: "m1", limit: 1 })).toMatchObject({ runs: [{ run_id: third }], more: true });
      expect(await list({ model: "m1", limit: 1, before: third })).toEqual([first]);
    });

    it("lists no task that has only runs made from another run's tape", async () => {
      const renormalized_from_run_id = await createRun(suite.log, 1);
      const run_id = newRunId();
      await suite.log.append([
        { run_id, create: suite.create, drafts: drafts(1), facts: { renormalized_from_run_id } },
      ]);
      expect((await suite.log.tasks()).tasks).toMatchObject([{ latest_run_id: renormalized_from_run_id }]);
      expect(await suite.log.task((await suite.log.run(run_id))?.task_id ?? "")).toBeUndefined();
    });
  });
}
