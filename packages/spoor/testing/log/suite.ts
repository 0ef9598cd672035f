import { createStreamChecker } from "@spoor/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAIN_START, link } from "../../src/log/chunks/chain.ts";
import type { Log, Piece } from "../../src/log/log.ts";
import { countOf, lastOf } from "../../src/log/ranges.ts";
import type { StoredRun } from "../../src/log/records.ts";
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

/** The behaviour of every log, whatever stores it. `open` opens the same log again until `fresh` is called. */
export function describeLog(
  name: string,
  harness: { open(): Promise<Log>; fresh(): Promise<void>; clear(): Promise<void> },
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
    const create = { agent: "toy", kind: "agent" };
    const whole = (run_id: string, from = log, after = -1) =>
      readWhole((cursor) => from.read(run_id, { after: cursor }), after);
    const wholeLog = (from = log, query = {}) => readWhole((after) => from.readAll({ ...query, after }));

    describe("appending", () => {
      it("numbers the events of a run from 0 without a gap and gives them rising ids", async () => {
        const run_id = await createRun(log, 3);
        const [receipt] = await log.append([{ run_id, epoch: 1, drafts: drafts(2) }]);
        expect(receipt).toMatchObject({ first_sequence: 3, last_sequence: 4, last_position: 4, repeated: false });
        const events = eventsOf(await whole(run_id));
        expect(events.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4]);
        expect(events.map(({ event_id }) => event_id)).toEqual(events.map(({ event_id }) => event_id).sort());
        expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(5);
      });

      it("writes run, task and session into each event", async () => {
        const run_id = newRunId();
        const task_id = newTaskId();
        const session_id = newRunId().replace("run_", "chat_");
        await log.append([{ run_id, create: { ...create, task_id, session_id }, drafts: drafts(1) }]);
        expect(eventsOf(await whole(run_id))).toMatchObject([{ run_id, task_id, session_id, schema_version: "1" }]);
      });

      it("makes a new task for a run that names none", async () => {
        const [first, second] = [await createRun(log, 1), await createRun(log, 1)];
        const tasks = [(await log.run(first))?.task_id, (await log.run(second))?.task_id];
        expect(tasks[0]).toMatch(/^task_/);
        expect(tasks[0]).not.toBe(tasks[1]);
      });

      it("never lets the times of a run go back", async () => {
        const run_id = newRunId();
        await log.append([
          { run_id, create, drafts: [draft("a", "external.event", 2_000), draft("b", "external.event", 1_000)] },
        ]);
        await log.append([{ run_id, drafts: [draft("c", "external.event", 1_500)] }]);
        const times = eventsOf(await whole(run_id)).map(({ occurred_at }) => Date.parse(occurred_at as string));
        expect(times).toEqual([2_000, 2_000, 2_000]);
      });

      it("stores a batch over several runs as a whole or not at all", async () => {
        const known = await createRun(log, 1);
        const made = newRunId();
        const batch = [
          { run_id: made, create, drafts: drafts(1) },
          { run_id: known, drafts: drafts(1) },
          { run_id: newRunId(), drafts: drafts(1) },
        ];
        await expect(log.append(batch)).rejects.toMatchObject({ code: "run_not_found" });
        expect(await log.run(made)).toBeUndefined();
        expect(notesOf(await whole(known))).toHaveLength(1);
        expect((await log.tasks()).tasks).toMatchObject([{ latest_run_id: known }]);
      });

      it("stores all appends of a batch that names a run several times", async () => {
        const run_id = await createRun(log, 1);
        const made = newRunId();
        const receipts = await log.append([
          { run_id, drafts: [draft("a"), draft("b")] },
          { run_id: made, create, drafts: [draft("c")] },
          { run_id, drafts: [draft("d")] },
          { run_id: made, epoch: 1, drafts: [draft("e")] },
        ]);
        expect(receipts.map(({ first_sequence, last_sequence }) => [first_sequence, last_sequence])).toEqual([
          [1, 2],
          [0, 0],
          [3, 3],
          [1, 1],
        ]);
        expect(notesOf(await whole(run_id))).toEqual(["n0", "a", "b", "d"]);
        expect(notesOf(await whole(made))).toEqual(["c", "e"]);
      });

      it("stores the other batches of a commit when one is refused", async () => {
        const run_id = await createRun(log, 1);
        const outcomes = await Promise.allSettled([
          log.append([{ run_id, drafts: [draft("a")] }]),
          log.append([{ run_id, epoch: 7, drafts: [draft("fenced")] }]),
          log.append([{ run_id, create, drafts: [draft("made again")] }]),
          log.append([{ run_id, drafts: [draft("b", "No Type")] }]),
          log.append([{ run_id, drafts: [draft("c")] }]),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual([
          "fulfilled",
          "rejected",
          "rejected",
          "rejected",
          "fulfilled",
        ]);
        const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : undefined));
        expect(codes).toEqual([undefined, "fenced", "run_exists", "bad_event", undefined]);
        expect(notesOf(await whole(run_id))).toEqual(["n0", "a", "c"]);
      });

      it("refuses the producer that another one has replaced, but not callers", async () => {
        const run_id = await createRun(log, 1);
        expect(await log.claim(run_id)).toBe(2);
        await expect(log.append([{ run_id, epoch: 1, drafts: drafts(1) }])).rejects.toMatchObject({ code: "fenced" });
        await log.append([{ run_id, epoch: 2, drafts: [draft("new")] }]);
        await log.append([{ run_id, drafts: [draft("caller")] }]);
        expect(notesOf(await whole(run_id))).toEqual(["n0", "new", "caller"]);
      });

      it("stores an append once per idempotency key, also within one commit or one batch", async () => {
        const run_id = await createRun(log, 1);
        const append = { run_id, drafts: [draft("once")], idempotency_key: "k" };
        const [first, second] = await Promise.all([log.append([append]), log.append([append])]);
        const [third, fourth] = await log.append([append, append]);
        expect(second[0]).toEqual({ ...first[0], repeated: true });
        expect([third, fourth]).toEqual([second[0], second[0]]);
        const twice = { ...append, idempotency_key: "l" };
        expect(await log.append([twice, twice])).toMatchObject([{ repeated: false }, { repeated: true }]);
        expect(notesOf(await whole(run_id))).toEqual(["n0", "once", "once"]);
      });

      it("accepts a key again once it was forgotten", async () => {
        const run_id = await createRun(log, 1);
        const append = { run_id, drafts: [draft("again")], idempotency_key: "k" };
        const start = Date.now();
        await log.append([append]);
        await log.upkeep.forgetKeys(start);
        expect(await log.append([append])).toMatchObject([{ repeated: true }]);
        await log.upkeep.forgetKeys(Number.POSITIVE_INFINITY);
        expect(await log.append([append])).toMatchObject([{ repeated: false }]);
        expect(notesOf(await whole(run_id))).toEqual(["n0", "again", "again"]);
      });

      it("forgets the keys that a later append names, and only those", async () => {
        const run_id = await createRun(log, 1);
        const append = (idempotency_key: string, forget_keys: readonly string[] = []) =>
          log.append([{ run_id, drafts: [draft(idempotency_key)], idempotency_key, forget_keys }]);
        await append("a");
        await append("b");
        await append("c", ["a"]);
        expect(await append("b")).toMatchObject([{ repeated: true }]);
        expect(await append("a")).toMatchObject([{ repeated: false }]);
        expect(notesOf(await whole(run_id))).toEqual(["n0", "a", "b", "c", "a"]);
      });

      it("stores the facts of a run together with its events", async () => {
        const run_id = newRunId();
        await log.append([{ run_id, create, drafts: drafts(1), facts: { status: "running", title: "Mend it" } }]);
        await log.append([
          { run_id, epoch: 1, drafts: drafts(1), facts: { status: "completed", turns: 2, ended_at: 5 } },
        ]);
        expect(await log.run(run_id)).toMatchObject({
          agent: "toy",
          status: "completed",
          title: "Mend it",
          turns: 2,
          first_sequence: 0,
          last_sequence: 1,
        });
      });

      it("loses none of the single events of many producers", async () => {
        const runs = await Promise.all(Array.from({ length: 8 }, () => createRun(log, 1)));
        await Promise.all(
          runs.map(async (run_id) => {
            for (let index = 0; index < 40; index++)
              await log.append([{ run_id, epoch: 1, drafts: [draft(`p${index}`)] }]);
          }),
        );
        for (const run_id of runs) {
          expect(notesOf(await whole(run_id))).toEqual([
            "n0",
            ...Array.from({ length: 40 }, (_, index) => `p${index}`),
          ]);
        }
        const positions = (await wholeLog()).flatMap(({ positions }) => positions.flatMap(expand));
        expect(positions).toEqual(Array.from({ length: 8 * 41 }, (_, index) => index));
      });

      it("makes envelopes without any violation of the contract", async () => {
        const run_id = newRunId();
        await log.append([
          {
            run_id,
            create,
            drafts: [{ type: "run.created", timestamp: 1_000, json: '{"kind":"shell"}' }],
          },
        ]);
        await log.append([{ run_id, epoch: 1, drafts: [{ type: "run.finished", timestamp: 1_001, json: "{}" }] }]);
        const checker = createStreamChecker();
        const findings = linesOf(await whole(run_id)).flatMap((line) => checker.add(JSON.parse(line)));
        expect([...findings, ...checker.end()]).toEqual([]);
      });
    });

    describe("reading", () => {
      it("returns the events after a cursor, and all events without one", async () => {
        const run_id = await createRun(log, 10);
        expect(notesOf((await log.read(run_id, { after: 6 })).pieces)).toEqual(["n7", "n8", "n9"]);
        expect(notesOf((await log.read(run_id)).pieces)).toHaveLength(10);
        expect(await log.read(run_id, { after: 9 })).toEqual({ pieces: [], next: 9, more: false });
        expect(await log.read(run_id, { after: 500 })).toEqual({ pieces: [], next: 500, more: false });
      });

      it("returns pages of any size that join without a hole or a duplicate", async () => {
        const run_id = await createRun(log, 400);
        for (let index = 0; index < 20; index++) await log.append([{ run_id, drafts: drafts(3) }]);
        const all = bytesOf(await whole(run_id));
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 20, max: 300 }),
            fc.integer({ min: 2_000, max: 60_000 }),
            async (limit, maxBytes) => {
              const pieces = await readWhole((after) => log.read(run_id, { after, limit, maxBytes }));
              const spread = await readWhole((after) => log.readAll({ after, limit, maxBytes }));
              expect(bytesOf(pieces).equals(all)).toBe(true);
              expect(bytesOf(spread).equals(all)).toBe(true);
            },
          ),
          { numRuns: 12 },
        );
      });

      it("returns what the store holds, whichever process wrote, pruned or merged", async () => {
        const logs = [log, await open()];
        const run_id = await createRun(log, 3);
        const step = fc.tuple(fc.constantFrom(...logs), fc.constantFrom("append", "prune", "merge", "look"), fc.nat(9));
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
            for (const [actor, what, count] of steps) {
              const last = (await actor.run(run_id))?.last_sequence ?? 0;
              if (what === "append") await actor.append([{ run_id, drafts: drafts(1 + count) }]);
              if (what === "prune") await actor.upkeep.prune(run_id, last - count, "operator");
              if (what === "merge") await actor.upkeep.merge({ run_id });
              const stored = linesOf(await wholeLog(actor));
              for (const each of logs) expect(linesOf(await whole(run_id, each))).toEqual(stored);
              for (const each of logs) expect(linesOf(await whole(run_id, each, last))).toEqual(after(stored, last));
            }
          }),
          { numRuns: 40 },
        );
      });

      it("passes the same pieces to `each` as it returns without it", async () => {
        const run_id = await createRun(log, 300);
        for (let index = 0; index < 5; index++) await log.append([{ run_id, drafts: drafts(100, "my.kind") }]);
        const match = (type: string) => type === "my.kind";
        for (const query of [{}, { after: 17, limit: 500 }, { after: 270, limit: 9 }, { maxBytes: 9_000 }, { match }]) {
          for (const read of [(each: object) => log.read(run_id, { ...query, ...each }), log.readAll.bind(log)]) {
            const expected = await read(query);
            const lines: string[] = [];
            const each = (piece: Piece) => lines.push(...linesOf([piece]));
            expect(await read({ ...query, each })).toEqual({ ...expected, pieces: [] });
            expect(lines).toEqual(linesOf(expected.pieces));
          }
        }
      });

      it("leaves out events that a filter does not accept, and returns how far it looked", async () => {
        const run_id = await createRun(log, 300);
        await log.append([{ run_id, drafts: [draft("a", "my.kind"), draft("b"), draft("c", "my.kind")] }]);
        await log.append([{ run_id, drafts: drafts(300) }]);
        const match = (type: string) => type === "my.kind";
        const page = await log.read(run_id, { match });
        expect(notesOf(page.pieces)).toEqual(["a", "c"]);
        expect(page.pieces.flatMap(({ sequences }) => sequences.flatMap(expand))).toEqual([300, 302]);
        expect(page).toMatchObject({ next: 602, more: false });
        expect(notesOf((await log.readAll({ match, limit: 1 })).pieces)).toEqual(["a"]);
        expect(notesOf((await log.readAll({ match: (type) => type !== "external.event" })).pieces)).toEqual(["a", "c"]);
        expect(await log.read(run_id, { match: (type) => type === "no.such" })).toEqual({
          pieces: [],
          next: 602,
          more: false,
        });
      });

      it("reads all runs, those of a task or those of an agent in the order of commits", async () => {
        const task_id = newTaskId();
        const [one, other] = [newRunId(), newRunId()];
        await log.append([{ run_id: one, create: { ...create, task_id }, drafts: [draft("1")] }]);
        await log.append([{ run_id: other, create: { ...create, agent: "other" }, drafts: [draft("2")] }]);
        await log.append([{ run_id: one, drafts: [draft("3")] }]);
        expect(notesOf(await wholeLog())).toEqual(["1", "2", "3"]);
        expect(notesOf(await wholeLog(log, { task_id }))).toEqual(["1", "3"]);
        expect(notesOf(await wholeLog(log, { agent: "other" }))).toEqual(["2"]);
      });

      it("reports a run that does not exist", async () => {
        await expect(log.read("run_none")).rejects.toMatchObject({ code: "run_not_found" });
        expect(await log.run("run_none")).toBeUndefined();
        expect(await log.task("task_none")).toBeUndefined();
      });

      it("finds the first event at or after any time, whatever order runs were committed in", async () => {
        const story = fc.array(fc.record({ run: fc.nat(3), times: fc.array(fc.nat(30), { minLength: 1 }) }), {
          minLength: 1,
        });
        await fc.assert(
          fc.asyncProperty(story, fc.boolean(), async (appends, isMerged) => {
            const runs = Array.from({ length: 4 }, () => newRunId());
            const from = log.lastPosition + 1;
            for (const { run, times } of appends) {
              const run_id = runs[run] as string;
              const isNew = (await log.run(run_id)) === undefined;
              const drafted = times.map((time) => draft("x", "external.event", from * 1_000 + time));
              await log.append([{ run_id, ...(isNew && { create }), drafts: drafted }]);
            }
            if (isMerged) await log.upkeep.merge();
            const events = eventsOf(await readWhole((after) => log.readAll({ after }), from - 1));
            for (let time = 0; time <= 31; time++) {
              const since = from * 1_000 + time;
              const index = events.findIndex(({ occurred_at }) => Date.parse(occurred_at as string) >= since);
              const expected = index === -1 ? log.lastPosition : from + index - 1;
              expect(await log.positionBefore(since)).toBe(expected);
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
          await log.append([
            { run_id, create: { ...create, ...(index < 2 && { task_id }) }, drafts: drafts(1), facts },
          ]);
          runs.unshift(run_id);
        }
        const ids = (list: { runs: { run_id: string }[] }) => list.runs.map(({ run_id }) => run_id);
        expect(ids(await log.runs())).toEqual(runs);
        const page = await log.runs({ limit: 2 });
        expect(page.more).toBe(true);
        expect(ids(await log.runs({ limit: 2, before: page.runs[1]?.run_id ?? "" }))).toEqual(runs.slice(2, 4));
        expect(ids(await log.runs({ status: "completed" }))).toEqual([runs[1], runs[3]]);
        expect(ids(await log.runs({ task_id }))).toEqual(runs.slice(3));
        expect(await log.task(task_id)).toMatchObject({ title: "t0", run_count: 2, latest_run_id: runs[3] });
        const { tasks, more } = await log.tasks({ limit: 3 });
        expect([tasks.length, more]).toEqual([3, true]);
        expect((await log.tasks({ before: tasks[2]?.task_id ?? "" })).tasks).toMatchObject([{ task_id }]);
      });

      it("lists no task that has only runs made from another run's tape", async () => {
        const renormalized_from_run_id = await createRun(log, 1);
        const run_id = newRunId();
        await log.append([{ run_id, create, drafts: drafts(1), facts: { renormalized_from_run_id } }]);
        expect((await log.tasks()).tasks).toMatchObject([{ latest_run_id: renormalized_from_run_id }]);
        expect(await log.task((await log.run(run_id))?.task_id ?? "")).toBeUndefined();
      });
    });

    describe("staying the same", () => {
      it("returns the same bytes on every read, also after it was reopened", async () => {
        const run_id = await createRun(log, 500);
        const before = bytesOf(await whole(run_id));
        expect(bytesOf(await whole(run_id)).equals(before)).toBe(true);
        await log.close();
        log = await open();
        expect(bytesOf(await whole(run_id)).equals(before)).toBe(true);
        expect(bytesOf(await wholeLog()).equals(before)).toBe(true);
      });

      it("changes no byte, order, id or hash when it merges and compresses chunks", async () => {
        const runs = [await createRun(log, 1), await createRun(log, 300), await createRun(log, 1)];
        for (let index = 0; index < 120; index++) {
          const run_id = runs[(index * 7) % 3] as string;
          await log.append([{ run_id, drafts: drafts((index % 4) + 1, index % 5 ? "external.event" : "my.kind") }]);
        }
        await log.append([{ run_id: runs[0] as string, drafts: drafts(1), facts: { ended_at: 1 } }]);
        const contents = async () => {
          const match = (type: string) => type === "my.kind";
          const heads: string[] = [];
          for await (const { head, damage } of log.upkeep.verify()) heads.push(head, JSON.stringify(damage));
          const pieces = [...(await Promise.all(runs.map((run_id) => whole(run_id)))).flat(), ...(await wholeLog())];
          const found = await readWhole((after) => log.readAll({ after, match, limit: 7 }));
          const places = (await wholeLog()).flatMap(({ positions }) => positions.flatMap(expand));
          return { heads, bytes: bytesOf(pieces).toString(), found: linesOf(found), places };
        };
        const before = await contents();
        const { before: chunks, after } = await log.upkeep.merge({ coldBefore: 2 });
        expect(after).toBeLessThan(chunks / 4);
        expect(await contents()).toEqual(before);
        await log.upkeep.merge();
        expect(await contents()).toEqual(before);
      });

      it("never returns what it read before in place of what another process has changed", async () => {
        const other = await open();
        const run_id = await createRun(log, 300);
        for (let index = 0; index < 50; index++) await log.append([{ run_id, drafts: drafts(3) }]);
        const steps = [
          () => other.append([{ run_id, drafts: drafts(2), facts: { title: "by another", ended_at: 1 } }]),
          () => other.upkeep.merge({ run_id }),
          () => other.upkeep.prune(run_id, 100, "operator"),
          () => other.upkeep.merge({ run_id, coldBefore: 2 }),
          () => log.upkeep.prune(run_id, 310, "operator"),
          () => log.append([{ run_id, drafts: drafts(2), facts: { title: "by us" } }]),
          () => other.claim(run_id),
        ];
        for (const step of steps) {
          await whole(run_id);
          await log.run(run_id);
          await step();
          const fresh = await open();
          expect(linesOf(await whole(run_id))).toEqual(linesOf(await whole(run_id, fresh)));
          expect(linesOf(await whole(run_id, log, 305))).toEqual(linesOf(await whole(run_id, fresh, 305)));
          expect(await log.run(run_id)).toEqual(await fresh.run(run_id));
        }
      });

      it("links every event to the previous one in the hash chain", async () => {
        const run_id = await createRun(log, 4);
        await log.append([{ run_id, drafts: drafts(3) }]);
        const head = linesOf(await whole(run_id)).reduce(link, CHAIN_START);
        for await (const verdict of log.upkeep.verify(run_id))
          expect(verdict).toEqual({ run_id, events: 7, head, damage: [] });
      });
    });

    describe("pruning", () => {
      it("stores a gap in the slot of the last removed event and keeps the events after it", async () => {
        const run_id = await createRun(log, 20);
        const [rest, time] = [linesOf(await whole(run_id, log, 12)), eventsOf(await whole(run_id))[12]?.occurred_at];
        await log.upkeep.prune(run_id, 12, "retention_window");
        const pieces = await whole(run_id);
        const [gap] = eventsOf(pieces);
        expect(gap).toMatchObject({
          type: "gap.events_pruned",
          sequence: 12,
          occurred_at: time,
          data: { first_pruned_sequence: 0, last_pruned_sequence: 12, reason: "retention_window", agent: "toy" },
        });
        expect(linesOf(pieces).slice(1)).toEqual(rest);
        expect(linesOf(await whole(run_id, log, 5))).toEqual(linesOf(pieces));
        expect(bytesOf(await wholeLog()).equals(bytesOf(pieces))).toBe(true);
        expect((await log.run(run_id))?.first_sequence).toBe(12);
        // The events in memory were dropped.
        expect(log.recent.after(run_id, 3)).toBeUndefined();
      });

      it("keeps the hash chain valid and the numbering continuous", async () => {
        const run_id = await createRun(log, 20);
        await log.append([{ run_id, drafts: drafts(10) }]);
        const before = await verdictOf(run_id);
        for (const through of [3, 3, 2, 19, 24, 29]) {
          await log.upkeep.prune(run_id, through, "operator");
          expect(await verdictOf(run_id)).toMatchObject({ head: before.head, damage: [] });
        }
        const [receipt] = await log.append([{ run_id, drafts: drafts(1) }]);
        expect(receipt).toMatchObject({ first_sequence: 30, last_position: 30 });
        expect((await verdictOf(run_id)).damage).toEqual([]);
        expect(eventsOf(await whole(run_id)).map(({ sequence }) => sequence)).toEqual([29, 30]);
      });

      it("returns space to the disk when asked, and changes nothing else", async () => {
        const run_ids = [await createRun(log, 400), await createRun(log, 20)];
        await log.upkeep.prune(run_ids[0] as string, 390, "operator");
        const before = bytesOf(await wholeLog());
        const size = await log.upkeep.shrink();
        expect(size.after).toBeLessThan(size.before);
        expect(bytesOf(await wholeLog()).equals(before)).toBe(true);
        for (const run_id of run_ids) expect((await verdictOf(run_id)).damage).toEqual([]);
        await log.append([{ run_id: run_ids[1] as string, drafts: drafts(1) }]);
        expect(linesOf(await whole(run_ids[1] as string))).toHaveLength(21);
      });

      const verdictOf = async (run_id: string) => {
        for await (const verdict of log.upkeep.verify(run_id)) return verdict;
        throw new Error("no such run");
      };
    });

    describe("following", () => {
      it("calls listeners for every commit of any process in the order of positions", async () => {
        const other = await open();
        const seen: Piece[] = [];
        const stop = log.watch((piece) => seen.push(piece));
        const run_id = await createRun(log, 2);
        await other.append([{ run_id, drafts: [draft("foreign")] }]);
        await log.append([{ run_id, drafts: [draft("own")] }]);
        await other.append([{ run_id, drafts: [draft("last")] }]);
        await expect.poll(() => notesOf(seen)).toEqual(["n0", "n1", "foreign", "own", "last"]);
        expect(seen.flatMap(({ positions }) => positions.flatMap(expand))).toEqual([0, 1, 2, 3, 4]);
        stop();
        await createRun(log, 1);
        expect(notesOf(seen)).toHaveLength(5);
      });

      it("stores an append and calls the other listeners when one of them throws", async () => {
        const warned = new Promise((resolve) => process.once("warning", resolve));
        const seen: Piece[] = [];
        log.watch(() => {
          throw new Error("a listener's own fault");
        });
        log.watch((piece) => seen.push(piece));
        const run_id = await createRun(log, 1);
        await log.append([{ run_id, drafts: [draft("next")] }]);
        expect(notesOf(seen)).toEqual(["n0", "next"]);
        expect(await warned).toMatchObject({ message: "a listener's own fault" });
      });

      it("accepts several writers of one run without a gap, a duplicate or a falling id", async () => {
        const others = [log, await open(), await open()];
        const run_id = await createRun(log, 1);
        await Promise.all(
          others.map(async (each, name) => {
            for (let index = 0; index < 30; index++)
              await each.append([{ run_id, drafts: [draft(`${name}.${index}`)] }]);
          }),
        );
        const events = eventsOf(await whole(run_id));
        expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 91 }, (_, index) => index));
        expect(events.map(({ event_id }) => event_id)).toEqual(events.map(({ event_id }) => event_id as string).sort());
        expect(new Set(notesOf(await whole(run_id))).size).toBe(91);
      });
    });

    describe("tapes", () => {
      it("returns the lines that it stored, in order", async () => {
        const lines = [
          { at: 1, from: "stdout" as const, text: '{"a":"\u2028"}' },
          { at: 2, from: "stdin" as const, text: "" },
          { at: 3, from: "exit" as const, text: '{"code":0}' },
        ];
        await log.tapes.append("run_x", lines.slice(0, 2));
        await log.tapes.append("run_y", lines);
        await log.tapes.append("run_x", lines.slice(2));
        const read = [];
        for await (const line of log.tapes.read("run_x")) read.push(line);
        expect(read).toEqual(lines);
      });

      it("stores lines that are sent twice under one key once", async () => {
        const lines = [{ at: 1, from: "stdout" as const, text: "{}" }];
        const send = (idempotency_key: string) => log.tapes.append("run_x", lines, { idempotency_key });
        await Promise.all([send("k"), send("k")]);
        await send("k");
        await send("l");
        const read = [];
        for await (const line of log.tapes.read("run_x")) read.push(line);
        expect(read).toEqual([...lines, ...lines]);
      });

      it("sets has_tape in a run's row with the first line", async () => {
        const run_id = await createRun(log, 1);
        const { has_tape, ...before } = (await log.run(run_id)) as StoredRun;
        expect(has_tape).toBeUndefined();
        await log.tapes.append(run_id, []);
        expect(await log.run(run_id)).toEqual(before);
        await log.tapes.append(run_id, [{ at: 1, from: "stdout", text: "{}" }]);
        expect(await log.run(run_id)).toEqual({ ...before, has_tape: true });
      });
    });

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
      expect(notesOf(await whole(run_id)).slice(1)).toEqual(notes);
    });

    it("returns pieces whose ranges have as many numbers as there are lines", async () => {
      const run_id = await createRun(log, 600);
      for (const { bytes, sequences, positions } of await whole(run_id)) {
        expect(countOf(sequences)).toBe(bytes.toString().split("\n").length - 1);
        expect(countOf(positions)).toBe(countOf(sequences));
        expect(lastOf(sequences)).toBeLessThan(600);
      }
    });
  });
}

/** The lines after a sequence. */
const after = (lines: readonly string[], sequence: number): string[] =>
  lines.filter((line) => JSON.parse(line).sequence > sequence);

const expand = ([first, count]: readonly [number, number]): number[] =>
  Array.from({ length: count }, (_, index) => first + index);
