import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/log/effects.ts";
import { createRun, draft, drafts, newRunId, newTaskId, notesOf } from "./drafts.ts";
import { approval, newApprovalId, resolving } from "./rows.ts";
import type { LogSuite } from "./suite-context.ts";

/** Rows that are written together with events, and the guards that decide whether anything is written. */
export function describeEffects(suite: LogSuite): void {
  describe("effects of an append", () => {
    it("are stored with the events, in their order, and each sees those before it", async () => {
      const [run_id, id] = [newRunId(), newApprovalId()];
      const effects = [approval(id, run_id), resolving(id, "ann")];
      await suite.log.append([{ run_id, create: suite.create, drafts: drafts(1), effects }]);
      const again = await suite.open();
      expect(await again.rows.find("approvals", id)).toMatchObject({
        run_id,
        status: "approved",
        by: "ann",
        cwd: null,
      });
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0"]);
    });

    it("leave out the whole batch if one of them cannot be done, and the error carries the row in the way", async () => {
      const [run_id, other, id] = [await createRun(suite.log, 1), newRunId(), newApprovalId()];
      await suite.log.rows.write([approval(id, run_id), resolving(id, "ann")]);
      const batch = [
        { run_id: other, create: suite.create, drafts: drafts(1), effects: [approval("appr_other", other)] },
        { run_id, drafts: [draft("late")], effects: [resolving(id, "bob")] },
      ];
      await expect(suite.log.append(batch)).rejects.toMatchObject({
        code: "conflict",
        table: "approvals",
        row: { approval_id: id, status: "approved", by: "ann" },
      });
      expect(await suite.log.run(other)).toBeUndefined();
      expect(await suite.log.rows.find("approvals", "appr_other")).toBeUndefined();
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0"]);
    });

    it("of one commit follow each other: the first of two equal answers wins, and other batches are stored", async () => {
      const [run_id, id] = [await createRun(suite.log, 1), newApprovalId()];
      const outcomes = await Promise.allSettled([
        suite.log.append([{ run_id, drafts: [draft("asked")], effects: [approval(id, run_id)] }]),
        suite.log.append([{ run_id, drafts: [draft("first")], effects: [resolving(id, "ann")] }]),
        suite.log.append([{ run_id, drafts: [draft("second")], effects: [resolving(id, "bob")] }]),
        suite.log.append([{ run_id, drafts: [draft("plain")] }]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect(outcomes[2]).toMatchObject({ reason: { code: "conflict", row: { by: "ann" } } });
      expect(notesOf(await suite.whole(run_id))).toEqual(["n0", "asked", "first", "plain"]);
    });

    it("happen once when an append is repeated under its key", async () => {
      const [run_id, id] = [await createRun(suite.log, 1), newApprovalId()];
      const append = { run_id, drafts: [draft("a")], effects: [approval(id, run_id)], idempotency_key: "k" };
      const [first] = await suite.log.append([append]);
      expect(await suite.log.append([append])).toEqual([{ ...first, repeated: true }]);
      const effects: Effect[] = [{ do: "delete", table: "approvals", key: id }];
      await suite.log.append([{ run_id, drafts: [], effects }]);
      await suite.log.append([append]);
      expect(await suite.log.rows.find("approvals", id)).toBeUndefined();
    });

    it("refuse what does not fit its table, whatever it is", async () => {
      const run_id = await createRun(suite.log, 1);
      const wrong: object[] = [
        { do: "insert", table: "nowhere", row: {} },
        { do: "insert", table: "runs", row: { run_id } },
        { do: "insert", table: "approvals", row: { approval_id: "a" } },
        { do: "insert", table: "queue", row: { run_id, kind: "x", priority: "1", due_at: 0, enqueued_at: 0 } },
        { do: "insert", table: "queue", row: { run_id, kind: "x", priority: 0.5, due_at: 0, enqueued_at: 0 } },
        { do: "insert", table: "blobs", row: { sha256: "x", size: 1, bytes: "text" } },
        { do: "update", table: "approvals", key: "a", when: {}, set: { approval_id: "b" } },
        { do: "update", table: "approvals", key: "a", when: { constructor: 1 }, set: {} },
        { do: "update", table: "approvals", key: "a", when: {}, set: { 'by" = 1; --': "x" } },
        { do: "delete", table: "approvals", key: 7 },
      ];
      for (const effect of wrong) {
        const effects = [approval(newApprovalId(), run_id), effect as unknown as Effect];
        const appending = suite.log.append([{ run_id, drafts: drafts(1), effects }]);
        await expect(appending, JSON.stringify(effect)).rejects.toMatchObject({ code: "bad_row" });
      }
      expect((await suite.log.rows.list("approvals")).rows).toEqual([]);
      expect(notesOf(await suite.whole(run_id))).toHaveLength(1);
    });

    it("can describe the task of a run that the same append creates", async () => {
      const [run_id, task_id] = [newRunId(), newTaskId()];
      const task: Effect = {
        do: "insert",
        table: "tasks",
        row: { task_id, created_at: 1, title: "Asked", spec: "{}" },
      };
      await suite.log.append([{ run_id, create: { ...suite.create, task_id }, drafts: drafts(1), effects: [task] }]);
      expect(await suite.log.rows.find("tasks", task_id)).toMatchObject({ title: "Asked", spec: "{}" });
      const next = { run_id: newRunId(), create: { ...suite.create, task_id }, drafts: drafts(1), effects: [task] };
      await expect(suite.log.append([next])).rejects.toMatchObject({ code: "conflict", row: { title: "Asked" } });
    });

    it("keep an existing row where the insert allows it, and only compare where nothing is set", async () => {
      const blob = (size: number): Effect => ({
        do: "insert",
        table: "blobs",
        row: { sha256: "x", size, bytes: new Uint8Array([0, 255]) },
        ifExists: "keep",
      });
      await suite.log.rows.write([blob(1), blob(2)]);
      const compare = (size: number): Effect => ({ do: "update", table: "blobs", key: "x", when: { size }, set: {} });
      await suite.log.rows.write([compare(1)]);
      await expect(suite.log.rows.write([compare(2)])).rejects.toMatchObject({ code: "conflict", row: { size: 1 } });
      expect((await suite.log.rows.find("blobs", "x"))?.bytes).toEqual(new Uint8Array([0, 255]));
    });
  });

  describe("a guard on the run's own row", () => {
    it("leaves out the batch if a fact differs, and the error carries the facts", async () => {
      const run_id = await createRun(suite.log, 1);
      await suite.log.append([{ run_id, drafts: [], facts: { status: "running", pending: 2 } }]);
      const guarded = (pending: number) =>
        suite.log.append([{ run_id, drafts: drafts(1), facts: { pending: 1 }, when: { status: "running", pending } }]);
      await expect(guarded(1)).rejects.toMatchObject({ code: "conflict", table: "runs", row: { run_id, pending: 2 } });
      await guarded(2);
      await expect(guarded(2)).rejects.toMatchObject({ code: "conflict", row: { pending: 1 } });
      expect(notesOf(await suite.whole(run_id))).toHaveLength(2);
    });

    it("sees the facts of earlier batches of the commit and of earlier appends of the batch", async () => {
      const run_id = await createRun(suite.log, 1);
      const outcomes = await Promise.allSettled([
        suite.log.append([{ run_id, drafts: [], facts: { paused: true } }]),
        suite.log.append([{ run_id, drafts: [], when: { paused: false } }]),
        suite.log.append([
          { run_id, drafts: [], facts: { paused: null } },
          { run_id, drafts: [], when: { paused: false, title: null, pending: 0 }, facts: { title: "x" } },
          { run_id, drafts: [], when: { title: "x" } },
        ]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      const run = await suite.log.run(run_id);
      expect(run?.title).toBe("x");
      expect(run).not.toHaveProperty("paused");
    });

    it("lets exactly one of two processes that read the same facts go on", async () => {
      const other = await suite.open();
      const run_id = await createRun(suite.log, 1);
      for (let pending = 0; pending < 20; pending++) {
        const answer = { run_id, drafts: drafts(1), when: { pending }, facts: { pending: pending + 1 } };
        const outcomes = await Promise.allSettled([suite.log.append([answer]), other.append([answer])]);
        expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      }
      expect(notesOf(await suite.whole(run_id))).toHaveLength(21);
    });
  });
}
