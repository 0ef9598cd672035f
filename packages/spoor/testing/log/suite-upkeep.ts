import { describe, expect, it } from "vitest";
import { CHAIN_START, link } from "../../src/log/chunks/chain.ts";
import type { Effect } from "../../src/log/effects.ts";
import { bytesOf, createRun, drafts, eventsOf, linesOf, newRunId, readWhole } from "./drafts.ts";
import { approval, command } from "./rows.ts";
import { expand, type LogSuite } from "./suite-context.ts";

/** What merging, compressing and pruning keep and remove. */
export function describeUpkeep(suite: LogSuite): void {
  describe("staying the same", () => {
    it("returns the same bytes on every read, also after it was reopened", async () => {
      const run_id = await createRun(suite.log, 500);
      const before = bytesOf(await suite.whole(run_id));
      expect(bytesOf(await suite.whole(run_id)).equals(before)).toBe(true);
      await suite.log.close();
      suite.log = await suite.open();
      expect(bytesOf(await suite.whole(run_id)).equals(before)).toBe(true);
      expect(bytesOf(await suite.wholeLog()).equals(before)).toBe(true);
    });

    it("changes no byte, order, id or hash when it merges and compresses chunks", async () => {
      const runs = [await createRun(suite.log, 1), await createRun(suite.log, 300), await createRun(suite.log, 1)];
      for (let index = 0; index < 120; index++) {
        const run_id = runs[(index * 7) % 3] as string;
        await suite.log.append([{ run_id, drafts: drafts((index % 4) + 1, index % 5 ? "external.event" : "my.kind") }]);
      }
      await suite.log.append([{ run_id: runs[0] as string, drafts: drafts(1), facts: { ended_at: 1 } }]);
      const contents = async () => {
        const match = (type: string) => type === "my.kind";
        const heads: string[] = [];
        for await (const { head, damage } of suite.log.upkeep.verify()) heads.push(head, JSON.stringify(damage));
        const pieces = [
          ...(await Promise.all(runs.map((run_id) => suite.whole(run_id)))).flat(),
          ...(await suite.wholeLog()),
        ];
        const found = await readWhole((after) => suite.log.readAll({ after, match, limit: 7 }));
        const places = (await suite.wholeLog()).flatMap(({ positions }) => positions.flatMap(expand));
        return { heads, bytes: bytesOf(pieces).toString(), found: linesOf(found), places };
      };
      const before = await contents();
      const { before: chunks, after } = await suite.log.upkeep.merge({ coldBefore: 2 });
      expect(after).toBeLessThan(chunks / 4);
      expect(await contents()).toEqual(before);
      await suite.log.upkeep.merge();
      expect(await contents()).toEqual(before);
    });

    it("never returns what it read before in place of what another process has changed", async () => {
      const other = await suite.open();
      const run_id = await createRun(suite.log, 300);
      for (let index = 0; index < 50; index++) await suite.log.append([{ run_id, drafts: drafts(3) }]);
      const steps = [
        () => other.append([{ run_id, drafts: drafts(2), facts: { title: "by another", ended_at: 1 } }]),
        () => other.upkeep.merge({ run_id }),
        () => other.upkeep.prune(run_id, 100, "operator"),
        () => other.upkeep.merge({ run_id, coldBefore: 2 }),
        () => suite.log.upkeep.prune(run_id, 310, "operator"),
        () => suite.log.append([{ run_id, drafts: drafts(2), facts: { title: "by us" } }]),
        () => other.claim(run_id),
      ];
      for (const step of steps) {
        await suite.whole(run_id);
        await suite.log.run(run_id);
        await step();
        const fresh = await suite.open();
        expect(linesOf(await suite.whole(run_id))).toEqual(linesOf(await suite.whole(run_id, fresh)));
        expect(linesOf(await suite.whole(run_id, suite.log, 305))).toEqual(
          linesOf(await suite.whole(run_id, fresh, 305)),
        );
        expect(await suite.log.run(run_id)).toEqual(await fresh.run(run_id));
      }
    });

    it("links every event to the previous one in the hash chain", async () => {
      const run_id = await createRun(suite.log, 4);
      await suite.log.append([{ run_id, drafts: drafts(3) }]);
      const head = linesOf(await suite.whole(run_id)).reduce(link, CHAIN_START);
      for await (const verdict of suite.log.upkeep.verify(run_id))
        expect(verdict).toEqual({ run_id, events: 7, head, damage: [] });
    });
  });

  describe("pruning", () => {
    it("stores a gap in the slot of the last removed event and keeps the events after it", async () => {
      const run_id = await createRun(suite.log, 20);
      const [rest, time] = [
        linesOf(await suite.whole(run_id, suite.log, 12)),
        eventsOf(await suite.whole(run_id))[12]?.occurred_at,
      ];
      await suite.log.upkeep.prune(run_id, 12, "retention_window");
      const pieces = await suite.whole(run_id);
      const [gap] = eventsOf(pieces);
      expect(gap).toMatchObject({
        type: "gap.events_pruned",
        sequence: 12,
        occurred_at: time,
        data: { first_pruned_sequence: 0, last_pruned_sequence: 12, reason: "retention_window", agent: "toy" },
      });
      expect(linesOf(pieces).slice(1)).toEqual(rest);
      expect(linesOf(await suite.whole(run_id, suite.log, 5))).toEqual(linesOf(pieces));
      expect(bytesOf(await suite.wholeLog()).equals(bytesOf(pieces))).toBe(true);
      expect((await suite.log.run(run_id))?.first_sequence).toBe(12);
      // The events in memory were dropped.
      expect(suite.log.recent.after(run_id, 3)).toBeUndefined();
    });

    it("keeps the hash chain valid and the numbering continuous", async () => {
      const run_id = await createRun(suite.log, 20);
      await suite.log.append([{ run_id, drafts: drafts(10) }]);
      const before = await verdictOf(run_id);
      for (const through of [3, 3, 2, 19, 24, 29]) {
        await suite.log.upkeep.prune(run_id, through, "operator");
        expect(await verdictOf(run_id)).toMatchObject({ head: before.head, damage: [] });
      }
      const [receipt] = await suite.log.append([{ run_id, drafts: drafts(1) }]);
      expect(receipt).toMatchObject({ first_sequence: 30, last_position: 30 });
      expect((await verdictOf(run_id)).damage).toEqual([]);
      expect(eventsOf(await suite.whole(run_id)).map(({ sequence }) => sequence)).toEqual([29, 30]);
    });

    it("returns space to the disk when asked, and changes nothing else", async () => {
      const run_ids = [await createRun(suite.log, 400), await createRun(suite.log, 20)];
      await suite.log.upkeep.prune(run_ids[0] as string, 390, "operator");
      const before = bytesOf(await suite.wholeLog());
      const size = await suite.log.upkeep.shrink();
      expect(size.after).toBeLessThan(size.before);
      expect(bytesOf(await suite.wholeLog()).equals(before)).toBe(true);
      for (const run_id of run_ids) expect((await verdictOf(run_id)).damage).toEqual([]);
      await suite.log.append([{ run_id: run_ids[1] as string, drafts: drafts(1) }]);
      expect(linesOf(await suite.whole(run_ids[1] as string))).toHaveLength(21);
    });

    it("takes the approvals, artifacts and done commands of the removed events along, and what the caller names", async () => {
      const run_id = newRunId();
      const named = (type: string, data: object) => ({ type, timestamp: 1_000, json: JSON.stringify(data) });
      await suite.log.append([
        {
          run_id,
          create: suite.create,
          drafts: [
            ...drafts(3),
            named("approval.requested", { approval_id: "appr_cut" }),
            named("artifact.created", { artifact_id: "art_cut" }),
            ...drafts(3),
            named("approval.requested", { approval_id: "appr_kept" }),
          ],
          effects: [
            approval("appr_cut", run_id),
            approval("appr_kept", run_id),
            { do: "insert", table: "artifacts", row: { artifact_id: "art_cut", run_id, kind: "patch", created_at: 1 } },
            { do: "insert", table: "blobs", row: { sha256: "x", size: 1 } },
            command("cmd_cut", run_id, { done_at: 5, sequence: 4 }),
            command("cmd_refused", run_id, { done_at: 5 }),
            command("cmd_kept", run_id, { done_at: 5_000_000_000_000, sequence: 8 }),
            command("cmd_open", run_id),
          ],
        },
      ]);
      await suite.log.upkeep.prune(run_id, 6, "operator", [{ do: "delete", table: "blobs", key: "x" }]);
      const keys = async (table: "approvals" | "artifacts" | "commands" | "blobs") =>
        (await suite.log.rows.list(table)).rows.map((row) => Object.values(row)[0]);
      expect(await keys("approvals")).toEqual(["appr_kept"]);
      expect(await keys("artifacts")).toEqual([]);
      expect(await keys("blobs")).toEqual([]);
      expect(await keys("commands")).toEqual(["cmd_kept", "cmd_open"]);
      expect((await verdictOf(run_id)).damage).toEqual([]);
    });

    it("forgets old requests together with old keys", async () => {
      const request = (key: string, created_at: number): Effect => ({
        do: "insert",
        table: "requests",
        row: { key, body_hash: "h", made: "{}", created_at },
      });
      await suite.log.rows.write([request("old", 10), request("new", 20)]);
      await suite.log.upkeep.forgetKeys(20);
      expect((await suite.log.rows.list("requests")).rows.map(({ key }) => key)).toEqual(["new"]);
    });

    const verdictOf = async (run_id: string) => {
      for await (const verdict of suite.log.upkeep.verify(run_id)) return verdict;
      throw new Error("no such run");
    };
  });
}
