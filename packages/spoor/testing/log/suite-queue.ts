import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startClaimer } from "./claimer.ts";
import { createRun, draft, drafts, eventsOf, newRunId } from "./drafts.ts";
import { approval, queued } from "./rows.ts";
import type { LogSuite } from "./suite-context.ts";

const LEASE = 30_000;

/** Runs that wait for a worker. */
export function describeQueue(suite: LogSuite): void {
  describe("the queue", () => {
    const started = () => ({ drafts: [draft("started", "run.started")] });
    const add = async (changes = {}, run_id = newRunId()) => {
      await suite.log.append([{ run_id, create: suite.create, drafts: drafts(1), effects: [queued(run_id, changes)] }]);
      return run_id;
    };
    const claim = (worker = "w", kinds = ["shell"]) => suite.log.queue.claim(worker, kinds, LEASE, started);

    it("gives out the greatest priority first, then the run that waits longest, and each run once", async () => {
      const late = await add({ enqueued_at: 9 });
      const early = await add({ enqueued_at: 3 });
      const urgent = await add({ enqueued_at: 20, priority: 5 });
      await add({ priority: 9, due_at: Date.now() + 3_600_000 });
      await add({ priority: 9, kind: "git" });
      await suite.log.rows.write([queued("run_without_events", { priority: 9 })]);
      const claims = [await claim(), await claim(), await claim(), await claim()];
      expect(claims.map((each) => each?.run.run_id)).toEqual([urgent, early, late, undefined]);
      expect(await claim("w", [])).toBeUndefined();
    });

    it("gives out the run that is asked for, also before it is due, and no other", async () => {
      await add({ priority: 9 });
      const wanted = await add({ due_at: Date.now() + 3_600_000 });
      const take = (run_id: string) => suite.log.queue.claim("w", ["shell"], LEASE, started, run_id);
      expect(await take(newRunId())).toBeUndefined();
      expect((await take(wanted))?.run.run_id).toBe(wanted);
      expect(await take(wanted)).toBeUndefined();
    });

    it("takes the row, raises the epoch and appends the opening in one transaction", async () => {
      const run_id = await add();
      const before = Date.now();
      const claimed = await suite.log.queue.claim("w", ["shell"], LEASE, (run, lease) => {
        expect(run).toMatchObject({ run_id, last_sequence: 0 });
        return {
          drafts: [draft(`epoch ${lease.epoch}`, "run.started")],
          facts: { status: "running", worker_id: lease.worker_id },
          effects: [approval("appr_1", run_id)],
        };
      });
      expect(claimed).toMatchObject({
        epoch: 2,
        run: { run_id, status: "running", worker_id: "w", last_sequence: 1 },
        row: { run_id, worker_id: "w", epoch: 2, lease_until: claimed?.lease_until },
        receipt: { epoch: 2, first_sequence: 1 },
      });
      expect(claimed?.lease_until).toBeGreaterThanOrEqual(before + LEASE);
      expect(eventsOf(await suite.whole(run_id))[1]).toMatchObject({ type: "run.started", data: { note: "epoch 2" } });
      expect(await suite.log.rows.find("approvals", "appr_1")).toBeDefined();
      await expect(suite.log.append([{ run_id, epoch: 1, drafts: drafts(1) }])).rejects.toMatchObject({
        code: "fenced",
      });
      await suite.log.append([{ run_id, epoch: 2, drafts: drafts(1) }]);
    });

    it("takes nothing if the opening fails", async () => {
      const run_id = await add();
      await suite.log.rows.write([approval("appr_1", run_id)]);
      const own = new Error("my own fault");
      const opening = () => {
        throw own;
      };
      await expect(suite.log.queue.claim("w", ["shell"], LEASE, opening)).rejects.toBe(own);
      const inTheWay = () => ({ drafts: drafts(1), effects: [approval("appr_1", run_id)] });
      await expect(suite.log.queue.claim("w", ["shell"], LEASE, inTheWay)).rejects.toMatchObject({ code: "conflict" });
      expect(await suite.log.rows.find("queue", run_id)).toMatchObject({ worker_id: null, epoch: null });
      expect((await claim())?.epoch).toBe(2);
    });

    it("renews a lease until another producer takes over, and gives rows back", async () => {
      const run_id = await add();
      const claimed = await claim();
      const { epoch = 0, lease_until = 0 } = claimed ?? {};
      expect(await suite.log.queue.extend(run_id, epoch, 2 * LEASE)).toBe(true);
      expect((await suite.log.rows.find("queue", run_id))?.lease_until).toBeGreaterThan(lease_until);
      expect(await suite.log.queue.extend(run_id, epoch - 1, LEASE)).toBe(false);
      expect(await suite.log.queue.extend("run_none", epoch, LEASE)).toBe(false);
      await suite.log.queue.release(run_id, epoch - 1);
      expect(await claim()).toBeUndefined();
      await suite.log.queue.release(run_id, epoch);
      expect(await suite.log.queue.extend(run_id, epoch, LEASE)).toBe(false);
      expect((await claim("x"))?.epoch).toBe(epoch + 1);
      await suite.log.claim(run_id);
      expect(await suite.log.queue.extend(run_id, epoch + 1, LEASE)).toBe(false);
    });

    it("does not give out a row whose lease has expired", async () => {
      await add();
      expect(await suite.log.queue.claim("w", ["shell"], 0, started)).toBeDefined();
      expect(await claim()).toBeUndefined();
    });

    it("tells watchers and followers of a claim", async () => {
      const run_id = await add();
      const changes: string[] = [];
      const types: string[] = [];
      suite.log.watchRows((table, key) => changes.push(`${table} ${key}`));
      suite.log.watch((piece) => types.push(...eventsOf([piece]).map(({ type }) => String(type))));
      await claim();
      expect(changes).toEqual([`queue ${run_id}`]);
      expect(types).toEqual(["run.started"]);
    });

    it("never gives one row to two claimers, whatever they do at the same time", { timeout: 60_000 }, async () => {
      const logs = [suite.log, await suite.open()];
      const step = fc.constantFrom("add", "claim", "claim", "release");
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(step, fc.nat({ max: 1 })), { maxLength: 30 }), async (steps) => {
          const held = new Map<string, { epoch: number }>();
          await Promise.all(
            steps.map(async ([what, which]) => {
              const log = logs[which] ?? suite.log;
              if (what === "add") await add();
              if (what === "claim") {
                const got = await log.queue.claim(`w${which}`, ["shell"], LEASE, started);
                if (!got) return;
                expect(held.has(got.run.run_id)).toBe(false);
                held.set(got.run.run_id, got);
              }
              const [mine] = held;
              if (what !== "release" || !mine) return;
              held.delete(mine[0]);
              await log.queue.release(mine[0], mine[1].epoch);
            }),
          );
          const { rows } = await suite.log.rows.list("queue", { limit: 1_000 });
          const taken = rows.filter(({ worker_id }) => worker_id !== null).map(({ run_id }) => run_id);
          expect(taken).toEqual([...held.keys()].sort());
          await suite.log.rows.write(rows.map(({ run_id }) => ({ do: "delete", table: "queue", key: run_id })));
        }),
        { numRuns: 20 },
      );
    });

    it("gives 100 runs to 8 claimers in 2 processes, each run once", { timeout: 120_000 }, async () => {
      const run_ids = new Set<string>();
      for (let number = 0; number < 100; number++) run_ids.add(await add());
      const claimers = [startClaimer(suite.address(), 4), startClaimer(suite.address(), 4)];
      const claimed = (await Promise.all(claimers)).flat();
      expect(claimed).toHaveLength(100);
      expect(new Set(claimed)).toEqual(run_ids);
      for (const run_id of run_ids) {
        const types = eventsOf(await suite.whole(run_id)).map(({ type }) => type);
        expect(types).toEqual(["external.event", "run.started"]);
      }
    });

    it("holds guards among processes: each of 60 steps is taken by one of them", { timeout: 120_000 }, async () => {
      const run_id = await createRun(suite.log, 1);
      await suite.log.rows.write([{ do: "insert", table: "workspaces", row: { path: "/w", generation: 0 } }]);
      const steps = await Promise.all([
        startClaimer(suite.address(), 2, run_id),
        startClaimer(suite.address(), 2, run_id),
      ]);
      expect(
        steps
          .flat()
          .map(Number)
          .sort((a, b) => a - b),
      ).toEqual(Array.from({ length: 60 }, (_, step) => step));
      expect((await suite.log.run(run_id))?.last_sequence).toBe(60);
      expect(await suite.log.rows.find("workspaces", "/w")).toMatchObject({ generation: 60 });
    });
  });
}
