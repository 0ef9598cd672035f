import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Effect, RowQuery } from "../../src/log/effects.ts";
import type { Log } from "../../src/log/log.ts";
import { MemoryRows } from "../../src/log/memory-rows.ts";
import type { Row, Table } from "../../src/log/tables.ts";
import { createRun, draft, drafts } from "./drafts.ts";
import { approval, command, newApprovalId, newCommandId, resolving } from "./rows.ts";
import type { LogSuite } from "./suite-context.ts";

/** Reading rows, writing those that belong to no event, and hearing of their changes. */
export function describeRows(suite: LogSuite): void {
  describe("rows", () => {
    it("are written all or not at all, once per key", async () => {
      const id = newApprovalId();
      const effects = [approval(id, "run_1"), resolving("appr_none", "ann")];
      await expect(suite.log.rows.write(effects)).rejects.toMatchObject({ code: "conflict", row: undefined });
      expect(await suite.log.rows.find("approvals", id)).toBeUndefined();
      for (let time = 0; time < 2; time++)
        await suite.log.rows.write([approval(id, "run_1")], { idempotency_key: "k" });
      await expect(suite.log.rows.write([approval(id, "run_1")])).rejects.toMatchObject({ code: "conflict" });
    });

    it("come back as they were written, whatever they hold", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "").toWellFormed()),
          fc.option(fc.uint8Array()),
          fc.maxSafeInteger(),
          async (sha256, bytes, size) => {
            await suite.log.rows.write([
              { do: "delete", table: "blobs", key: sha256 },
              { do: "insert", table: "blobs", row: { sha256, size, bytes } },
            ]);
            expect(await suite.log.rows.find("blobs", sha256)).toMatchObject({ sha256, size, bytes });
          },
        ),
        { numRuns: 30 },
      );
    });

    it("are listed by values, in any order, page by page in both directions", async () => {
      const times = [5, null, 1, 5, 3, null, 2];
      const ids = times.map(() => newApprovalId());
      await suite.log.rows.write(
        ids.map((id, index) =>
          approval(id, index % 2 ? "run_odd" : "run_even", { expires_at: times[index] ?? null, requested_at: index }),
        ),
      );
      const list = async (query: RowQuery<"approvals">) =>
        (await suite.log.rows.list("approvals", query)).rows.map(({ approval_id }) => ids.indexOf(approval_id));
      expect(await list({})).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(await list({ order: "expires_at" })).toEqual([1, 5, 2, 6, 4, 0, 3]);
      expect(await list({ where: { run_id: "run_odd", expires_at: null } })).toEqual([1, 5]);
      expect(await list({ where: { requested_at: [2, 4, 9] }, descending: true })).toEqual([4, 2]);
      expect(await list({ where: { requested_at: [] } })).toEqual([]);
      for (const descending of [false, true]) {
        const whole = await list({ order: "expires_at", descending });
        const forwards: number[] = [];
        for (let after: string | undefined; ; after = ids[forwards.at(-1) as number]) {
          const page = await suite.log.rows.list("approvals", {
            order: "expires_at",
            descending,
            limit: 2,
            ...(after !== undefined && { after }),
          });
          forwards.push(...page.rows.map(({ approval_id }) => ids.indexOf(approval_id)));
          if (!page.more) break;
        }
        expect(forwards).toEqual(whole);
        const before = ids[whole[5] as number] as string;
        expect(await list({ order: "expires_at", descending, before, limit: 2 })).toEqual(whole.slice(3, 5));
      }
      expect(await list({ order: "expires_at", after: "appr_gone" })).toEqual([]);
      await expect(list({ where: { nothing: 1 } as object })).rejects.toMatchObject({ code: "bad_row" });
    });

    it("behave like a model under any interleaving of appends, writes and processes", { timeout: 60_000 }, async () => {
      const other = await suite.open();
      const model = new MemoryRows();
      const run_id = await createRun(suite.log, 1);
      let events = 1;
      const step = fc.record({
        effects: fc.array(anyEffect, { maxLength: 4 }),
        by: fc.boolean(),
        asAppend: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          // Steps of one process that wait together share a commit.
          for (const group of groupsOf(steps)) {
            const log = group[0]?.by ? suite.log : other;
            const outcomes = await Promise.allSettled(
              group.map(({ effects, asAppend }) =>
                asAppend ? log.append([{ run_id, drafts: [draft("x")], effects }]) : log.rows.write(effects),
              ),
            );
            // A write does not wait for the appends of its group, so the model takes what was done in any valid order.
            const order = group.map((each, index) => ({ ...each, outcome: outcomes[index] }));
            const sorted = [...order.filter(({ asAppend }) => !asAppend), ...order.filter(({ asAppend }) => asAppend)];
            for (const { effects, asAppend, outcome } of sorted) {
              const expected = await model.write(effects).then(
                () => "done",
                (error) => ({ code: error.code, row: error.row }),
              );
              if (asAppend && expected === "done") events += 1;
              expect(outcome).toMatchObject(
                expected === "done" ? { status: "fulfilled" } : { status: "rejected", reason: expected },
              );
            }
          }
          for (const table of ["approvals", "workspaces"] as const)
            expect(await suite.log.rows.list(table)).toEqual(await model.list(table));
          expect((await suite.log.run(run_id))?.last_sequence).toBe(events - 1);
        }),
        { numRuns: 60 },
      );
    });
  });

  describe("watching rows", () => {
    it("reports the changes of every process after the commit, each once", async () => {
      const other = await suite.open();
      const run_id = await createRun(suite.log, 1);
      const seen: [Table, string, Promise<Row | undefined>][] = [];
      const stop = suite.log.watchRows((table, key) => seen.push([table, key, suite.log.rows.find(table, key)]));
      await other.rows.write([approval("appr_1", run_id)]);
      await suite.log.append([{ run_id, drafts: drafts(1), effects: [approval("appr_2", run_id)] }]);
      await other.append([
        { run_id, drafts: drafts(1), effects: [{ do: "delete", table: "approvals", key: "appr_1" }] },
      ]);
      await expect(suite.log.rows.write([approval("appr_2", run_id)])).rejects.toMatchObject({ code: "conflict" });
      await other.rows.write([{ do: "delete", table: "approvals", key: "appr_none" }]);
      await other.rows.write([resolving("appr_2", "ann")]);
      await expect.poll(() => seen.map(([, key]) => key)).toEqual(["appr_1", "appr_2", "appr_1", "appr_2"]);
      expect(await seen[1]?.[2]).toMatchObject({ approval_id: "appr_2" });
      stop();
      await suite.log.rows.write([approval("appr_3", run_id)]);
      await other.rows.write([approval("appr_4", run_id)]);
      expect(seen).toHaveLength(4);
    });

    it("delivers each open command of a run once, also those that were there before", async () => {
      const other = await suite.open();
      const [first, second, third] = [newCommandId(), newCommandId(), newCommandId()];
      await other.rows.write([command(first, "run_1"), command(newCommandId(), "run_2")]);
      await other.rows.write([command(newCommandId(), "run_1", { done_at: 2, outcome: "done" })]);
      const seen: string[] = [];
      const stop = suite.log.watchCommands("run_1", (commands) =>
        seen.push(...commands.map(({ command_id }) => command_id)),
      );
      await expect.poll(() => seen).toEqual([first]);
      // An id that is less than one that was delivered, as of another process with a clock that is behind.
      await other.rows.write([command("cmd_0", "run_1"), command(second, "run_1")]);
      await expect.poll(() => seen).toEqual([first, "cmd_0", second]);
      await done(suite.log, first);
      await suite.log.rows.write([command(third, "run_1")]);
      await expect.poll(() => seen).toEqual([first, "cmd_0", second, third]);
      stop();
    });
  });
}

const done = (log: Log, key: string): Promise<void> =>
  log.rows.write([
    { do: "update", table: "commands", key, when: { done_at: null }, set: { done_at: 1, outcome: "done" } },
  ]);

/** Few keys and few values, so that effects meet. */
const anyEffect: fc.Arbitrary<Effect> = fc.oneof(
  fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("pending", "approved"), fc.boolean()).map(
    ([approval_id, status, keep]): Effect => ({
      do: "insert",
      table: "approvals",
      row: { approval_id, run_id: "r", status, requested_at: 1 },
      ...(keep && { ifExists: "keep" }),
    }),
  ),
  fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("pending", "approved"), fc.constantFrom(null, "ann")).map(
    ([key, status, by]): Effect => ({
      do: "update",
      table: "approvals",
      key,
      when: { status },
      set: { by, status: "pending" },
    }),
  ),
  fc
    .tuple(fc.constantFrom("a", "b"), fc.option(fc.constantFrom("ann", null), { nil: undefined }))
    .map(([key, by]): Effect => ({ do: "delete", table: "approvals", key, ...(by !== undefined && { when: { by } }) })),
  fc.tuple(fc.constantFrom("/w", "/x"), fc.nat({ max: 2 })).map(
    ([key, generation]): Effect => ({
      do: "update",
      table: "workspaces",
      key,
      when: { generation },
      set: { generation: (generation + 1) % 3 },
    }),
  ),
  fc
    .constantFrom("/w", "/x")
    .map((path): Effect => ({ do: "insert", table: "workspaces", row: { path, generation: 0 } })),
);

/** Neighbours of the same process and of the same kind go together. */
function groupsOf<T extends { by: boolean; asAppend: boolean }>(steps: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    if (group?.[0]?.by === step.by && group[0].asAppend === step.asAppend) group.push(step);
    else groups.push([step]);
  }
  return groups;
}
