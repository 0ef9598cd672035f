import { LogError } from "../errors.ts";
import type { Claim, Lease, Opening, Queue } from "../queue.ts";
import type { StoredRun } from "../records.ts";
import type { Row } from "../tables.ts";
import type { Committed } from "./commit.ts";
import type { Context } from "./context.ts";
import type { Reader } from "./read/reader.ts";
import type { createWriter } from "./writer.ts";

/** The queue in the log's own file. The store's clock is that of the machine. */
export function createQueue(
  { tables, now }: Context,
  reader: Reader,
  writer: Pick<ReturnType<typeof createWriter>, "transact">,
): Queue {
  const { rows } = tables;
  const nothing: Partial<Committed> & { claim?: Claim } = {};

  return {
    async claim(worker_id, kinds, leaseMs, opening, only) {
      if (kinds.length === 0) return undefined;
      // An error of the caller's own function must not pass for one of the store.
      let thrown: { error: unknown } | undefined;
      const attempt = (run: StoredRun, lease: Lease): Opening => {
        try {
          return opening(run, lease);
        } catch (error) {
          thrown = { error };
          throw new LogError("closed", "The opening failed.", { cause: error });
        }
      };
      const taken = writer.transact((commit) => {
        const at = now();
        // A row without a run cannot be performed; `spoor repair` removes it.
        const found = rows
          .statement(
            `SELECT queue.run_id FROM queue JOIN runs ON runs.run_id = queue.run_id
             WHERE worker_id IS NULL AND queue.kind IN (SELECT value FROM json_each(?2))
               AND (due_at <= ?1 OR queue.run_id = ?3) AND (?3 IS NULL OR queue.run_id = ?3)
             ORDER BY priority DESC, enqueued_at, queue.run_id LIMIT 1`,
          )
          .get(at, JSON.stringify(kinds), only ?? null) as { run_id: string } | undefined;
        if (!found) return nothing;
        const { run_id } = found;
        const stored = reader.requireRun(run_id);
        const lease = { worker_id, epoch: stored.epoch + 1, lease_until: at + leaseMs };
        tables.runs.update({ ...stored, epoch: lease.epoch });
        rows.apply([{ do: "update", table: "queue", key: run_id, when: { worker_id: null }, set: lease }]);
        const before = reader.run(run_id) as Claim["run"];
        const { drafts, facts, effects } = attempt(before, lease);
        const append = { run_id, epoch: lease.epoch, drafts, ...(facts && { facts }), ...(effects && { effects }) };
        const committed = commit([[append]]);
        const [outcome] = committed.outcomes;
        if (!Array.isArray(outcome)) throw outcome;
        const [receipt] = outcome;
        const row = rows.find("queue", run_id);
        if (!receipt || !row) throw new LogError("conflict", `The opening of ${run_id} removed its own queue row.`);
        const claim: Claim = { ...lease, run: reader.run(run_id) as Claim["run"], row, receipt };
        return { ...committed, hasRowChanges: true, claim };
      });
      return taken.then(
        ({ claim }) => claim,
        (error) => {
          throw thrown ? thrown.error : error;
        },
      );
    },
    async extend(run_id, epoch, leaseMs) {
      return changeOwn(run_id, epoch, () => ({ lease_until: now() + leaseMs }));
    },
    async release(run_id, epoch) {
      await changeOwn(run_id, epoch, () => ({ worker_id: null, lease_until: null }));
    },
  };

  /** Changes the queue row of a run, if this epoch still holds both the row and the run. */
  async function changeOwn(run_id: string, epoch: number, set: () => Partial<Row<"queue">>): Promise<boolean> {
    const { isOwn } = await writer.transact(() => {
      const row = rows.find("queue", run_id);
      const isOwn = row !== undefined && row.worker_id !== null && row.epoch === epoch && isCurrent(run_id, epoch);
      if (isOwn) rows.apply([{ do: "update", table: "queue", key: run_id, when: {}, set: set() }]);
      return { isOwn, hasRowChanges: isOwn };
    });
    return isOwn;
  }

  function isCurrent(run_id: string, epoch: number): boolean {
    return tables.runs.find(run_id)?.epoch === epoch;
  }
}
