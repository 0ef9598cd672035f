import { createStreamChecker } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { createRun, draft, drafts, eventsOf, linesOf, newRunId, newTaskId, notesOf } from "./drafts.ts";
import { expand, type LogSuite } from "./suite-context.ts";

/** Appending events to runs. */
export function describeAppending(suite: LogSuite): void {
  describe("appending", () => {
    it("numbers the events of a run from 0 without a gap and gives them rising ids", async () => {
      const run_id = await createRun(suite.log, 3);
      const [receipt] = await suite.log.append([{ run_id, epoch: 1, drafts: drafts(2) }]);
      expect(receipt).toMatchObject({ first_sequence: 3, last_sequence: 4, last_position: 4, repeated: false });
      const events = eventsOf(await suite.whole(run_id));
      expect(events.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4]);
      expect(events.map(({ event_id }) => event_id)).toEqual(events.map(({ event_id }) => event_id).sort());
      expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(5);
    });

    it("writes run, task and session into each event", async () => {
      const run_id = newRunId();
      const task_id = newTaskId();
      const session_id = newRunId().replace("run_", "chat_");
      await suite.log.append([{ run_id, create: { ...suite.create, task_id, session_id }, drafts: drafts(1) }]);
      expect(eventsOf(await suite.whole(run_id))).toMatchObject([{ run_id, task_id, session_id, schema_version: "1" }]);
    });

    it("makes a new task for a run that names none", async () => {
      const [first, second] = [await createRun(suite.log, 1), await createRun(suite.log, 1)];
      const tasks = [(await suite.log.run(first))?.task_id, (await suite.log.run(second))?.task_id];
      expect(tasks[0]).toMatch(/^task_/);
      expect(tasks[0]).not.toBe(tasks[1]);
    });

    it("never lets the times of a run go back", async () => {
      const run_id = newRunId();
      await suite.log.append([
        {
          run_id,
          create: suite.create,
          drafts: [draft("a", "external.event", 2_000), draft("b", "external.event", 1_000)],
        },
      ]);
      await suite.log.append([{ run_id, drafts: [draft("c", "external.event", 1_500)] }]);
      const times = eventsOf(await suite.whole(run_id)).map(({ occurred_at }) => Date.parse(occurred_at as string));
      expect(times).toEqual([2_000, 2_000, 2_000]);
    });

    it("stores a batch over several runs as a whole or not at all", async () => {
      const known = await createRun(suite.log, 1);
      const made = newRunId();
      const batch = [
        { run_id: made, create: suite.create, drafts: drafts(1) },
        { run_id: known, drafts: drafts(1) },
        { run_id: newRunId(), drafts: drafts(1) },
      ];
      await expect(suite.log.append(batch)).rejects.toMatchObject({ code: "run_not_found" });
      expect(await suite.log.run(made)).toBeUndefined();
      expect(notesOf(await suite.whole(known))).toHaveLength(1);
      expect((await suite.log.tasks()).tasks).toMatchObject([{ latest_run_id: known }]);
    });

    it("stores all appends of a batch that names a run several times", async () => {
      const run_id = await createRun(suite.log, 1);
      const made = newRunId();
      const receipts = await suite.log.append([
        { run_id, drafts: [draft("a"), draft("b")] },
        { run_id: made, create: suite.create, drafts: [draft("c")] },
        { run_id, drafts: [draft("d")] },
        { run_id: made, epoch: 1, drafts: [draft("e")] },
      ]);
      expect(receipts.map(({ first_sequence, last_sequence }) => [first_sequence, last_sequence])).toEqual([
        [1, 2],
        [0, 0],
        [3, 3],
        [1, 1],
      ]);
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "a", "b", "d"]);
      expect(notesOf(await suite.whole(made))).toEqual(["c", "e"]);
    });

    it("stores the other batches of a commit when one is refused", async () => {
      const run_id = await createRun(suite.log, 1);
      const outcomes = await Promise.allSettled([
        suite.log.append([{ run_id, drafts: [draft("a")] }]),
        suite.log.append([{ run_id, epoch: 7, drafts: [draft("fenced")] }]),
        suite.log.append([{ run_id, create: suite.create, drafts: [draft("made again")] }]),
        suite.log.append([{ run_id, drafts: [draft("b", "No Type")] }]),
        suite.log.append([{ run_id, drafts: [draft("c")] }]),
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
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "a", "c"]);
    });

    it("refuses the producer that another one has replaced, but not callers", async () => {
      const run_id = await createRun(suite.log, 1);
      expect(await suite.log.claim(run_id)).toBe(2);
      await expect(suite.log.append([{ run_id, epoch: 1, drafts: drafts(1) }])).rejects.toMatchObject({
        code: "fenced",
      });
      await suite.log.append([{ run_id, epoch: 2, drafts: [draft("new")] }]);
      await suite.log.append([{ run_id, drafts: [draft("caller")] }]);
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "new", "caller"]);
    });

    it("stores an append once per idempotency key, also within one commit or one batch", async () => {
      const run_id = await createRun(suite.log, 1);
      const append = { run_id, drafts: [draft("once")], idempotency_key: "k" };
      const [first, second] = await Promise.all([suite.log.append([append]), suite.log.append([append])]);
      const [third, fourth] = await suite.log.append([append, append]);
      expect(second[0]).toEqual({ ...first[0], repeated: true });
      expect([third, fourth]).toEqual([second[0], second[0]]);
      const twice = { ...append, idempotency_key: "l" };
      expect(await suite.log.append([twice, twice])).toMatchObject([{ repeated: false }, { repeated: true }]);
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "once", "once"]);
    });

    it("accepts a key again once it was forgotten", async () => {
      const run_id = await createRun(suite.log, 1);
      const append = { run_id, drafts: [draft("again")], idempotency_key: "k" };
      const start = Date.now();
      await suite.log.append([append]);
      await suite.log.upkeep.forgetKeys(start);
      expect(await suite.log.append([append])).toMatchObject([{ repeated: true }]);
      await suite.log.upkeep.forgetKeys(Number.POSITIVE_INFINITY);
      expect(await suite.log.append([append])).toMatchObject([{ repeated: false }]);
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "again", "again"]);
    });

    it("forgets the keys that a later append names, and only those", async () => {
      const run_id = await createRun(suite.log, 1);
      const append = (idempotency_key: string, forget_keys: readonly string[] = []) =>
        suite.log.append([{ run_id, drafts: [draft(idempotency_key)], idempotency_key, forget_keys }]);
      await append("a");
      await append("b");
      await append("c", ["a"]);
      expect(await append("b")).toMatchObject([{ repeated: true }]);
      expect(await append("a")).toMatchObject([{ repeated: false }]);
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "a", "b", "c", "a"]);
    });

    it("stores the facts of a run together with its events", async () => {
      const run_id = newRunId();
      await suite.log.append([
        { run_id, create: suite.create, drafts: drafts(1), facts: { status: "running", title: "Mend it" } },
      ]);
      await suite.log.append([
        { run_id, epoch: 1, drafts: drafts(1), facts: { status: "completed", turns: 2, ended_at: 5 } },
      ]);
      expect(await suite.log.run(run_id)).toMatchObject({
        agent: "toy",
        status: "completed",
        title: "Mend it",
        turns: 2,
        first_sequence: 0,
        last_sequence: 1,
      });
    });

    it("loses none of the single events of many producers", async () => {
      const runs = await Promise.all(Array.from({ length: 8 }, () => createRun(suite.log, 1)));
      await Promise.all(
        runs.map(async (run_id) => {
          for (let index = 0; index < 40; index++)
            await suite.log.append([{ run_id, epoch: 1, drafts: [draft(`p${index}`)] }]);
        }),
      );
      for (const run_id of runs) {
        expect(notesOf(await suite.whole(run_id))).toEqual([
          "n0",
          ...Array.from({ length: 40 }, (_, index) => `p${index}`),
        ]);
      }
      const positions = (await suite.wholeLog()).flatMap(({ positions }) => positions.flatMap(expand));
      expect(positions).toEqual(Array.from({ length: 8 * 41 }, (_, index) => index));
    });

    it("makes envelopes without any violation of the contract", async () => {
      const run_id = newRunId();
      await suite.log.append([
        {
          run_id,
          create: suite.create,
          drafts: [{ type: "run.created", timestamp: 1_000, json: '{"kind":"shell"}' }],
        },
      ]);
      await suite.log.append([{ run_id, epoch: 1, drafts: [{ type: "run.finished", timestamp: 1_001, json: "{}" }] }]);
      const checker = createStreamChecker();
      const findings = linesOf(await suite.whole(run_id)).flatMap((line) => checker.add(JSON.parse(line)));
      expect([...findings, ...checker.end()]).toEqual([]);
    });
  });
}
