import { createComposer } from "../../chunks/compose.ts";
import { typeSet } from "../../chunks/event-types.ts";
import { LOST, lostData } from "../../gaps.ts";
import { failureOf } from "../failure.ts";
import { isIntact, type RunRow } from "../tables/run-rows.ts";
import type { Store } from "../tables/tables.ts";
import type { Transaction } from "../transaction.ts";
import type { Mark, MarkedRun } from "./marks.ts";

export interface Recovery {
  store: Store;
  transaction: Transaction;
  now: () => number;
  /** Where each run stood, by its greatest mark. Read before the database is. */
  marks: ReadonlyMap<string, Mark>;
  /** Positions up to here were given. */
  highWater: number;
}

/**
 * Compares the marks with the log before anything else is written. A run that had come further has lost its end: a
 * `gap.events_lost` takes the place of the lost events, so that no sequence and no position is given a second time. A run
 * that was lost as a whole is recreated with nothing but that gap. Doing this again changes nothing, so several processes
 * may do it at once.
 */
export function recoverLost({ store, transaction, now, marks, highWater }: Recovery): void {
  const compose = createComposer(now);
  try {
    const isBehind = [...marks.values()].some((mark) => isLost(mark)) || highWater > store.chunks.lastPosition();
    if (!isBehind) return;
    transaction(() => {
      for (const mark of marks.values()) if (isLost(mark)) tellLoss(mark);
      // Nobody knows whose events these were.
      const last = store.chunks.lastPosition();
      if (highWater > last) store.losses.add(last + 1, highWater);
    });
  } catch (error) {
    // A damaged database still has to open: readers and `verify` tell of the damage.
    if (failureOf(error).code !== "damaged") throw error;
  }

  function isLost(mark: Mark): boolean {
    const row = store.runs.find(mark.run_id);
    // A row that is damaged itself does not tell how far its run has come.
    if (row && !isIntact(row)) return false;
    if (store.chunks.has(mark.last_position)) return false;
    return row ? row.last_sequence < mark.last_sequence : mark.run !== undefined;
  }

  function tellLoss(mark: Mark): void {
    const row = store.runs.find(mark.run_id) ?? recreate(mark.run_id, mark.run as MarkedRun);
    const first_sequence = row.last_sequence + 1;
    const last_sequence = mark.last_sequence;
    const at = now();
    const lost = { first_sequence, last_sequence, reason: "truncated" } as const;
    const json = JSON.stringify(lostData(lost, row.agent, at));
    const before = { ...row, last_sequence: last_sequence - 1 };
    const { row: after, chunks } = compose(before, [{ type: LOST, timestamp: at, json }]);
    store.runs.update({ ...after, last_position: mark.last_position });
    for (const { bytes, head } of chunks) {
      const positions = [[mark.last_position, 1]] as const;
      const types = typeSet([store.types.code(LOST)]);
      const place = { run: row.run, run_id: row.run_id, first_sequence, last_sequence, events: 1, positions };
      store.chunks.insert({ ...place, types, head, bytes });
    }
  }

  function recreate(run_id: string, { worker_id, ...run }: MarkedRun): RunRow {
    store.tasks.ensure(run.task_id, run.created_at);
    const facts = JSON.stringify({ ...(worker_id !== undefined && { worker_id }) });
    return store.runs.create({ run_id, ...run, status: "running", facts });
  }
}
