import { createUlidSource } from "@spoor/protocol/ids";
import { createComposer } from "../chunks/compose.ts";
import { typeSet } from "../chunks/event-types.ts";
import type { RunRow } from "../chunks/run-row.ts";
import { LogError } from "../errors.ts";
import type { Batch } from "../group-commit.ts";
import type { AppendReceipt, Piece } from "../log.ts";
import {
  type FirstReceipt,
  type LoadedRows,
  type PlannedAppend,
  type PlannedRun,
  prepare,
  receiptOf,
} from "../work/prepare.ts";
import type { Context } from "./context.ts";
import { createSavepoint } from "./transaction.ts";

export interface Committed {
  /** For each batch its receipts, or why nothing of it was written. */
  outcomes: (AppendReceipt[] | Error)[];
  pieces: Piece[];
  /** The rows of the runs that got events. */
  rows: RunRow[];
  /** Whether rows of other tables may have changed. */
  hasRowChanges: boolean;
}

export type Commit = (batches: readonly Batch[]) => Committed;

/** Writes batches in the transaction that is open: it loads the rows they touch, plans and writes the plan. */
export function createCommit({ database, tables, now }: Context): Commit {
  const compose = createComposer(now);
  const newTaskId = createUlidSource({ now, prefix: "task_" });
  const isKnownType = tables.types.isKnown;
  const savepoint = createSavepoint(database);

  return (batches) => {
    let hasRowChanges = false;
    const plan = prepare(batches, load(batches), {
      now: now(),
      newTaskId,
      isKnownType,
      write(effects, newRuns) {
        // A single effect that is refused has changed nothing, so there is nothing to undo.
        if (effects.length === 1) tables.rows.apply(effects);
        else if (effects.length > 1) savepoint(() => tables.rows.apply(effects));
        hasRowChanges ||= effects.length > 0;
        for (const { task_id, created_at } of newRuns) tables.tasks.ensure(task_id, created_at);
      },
    });
    let position = tables.chunks.lastPosition();
    const pieces: Piece[] = [];
    const rows: RunRow[] = [];
    for (const run of plan.runs) {
      if (run.drafts.length === 0 && !run.hasNewFacts) continue;
      const written = write(run, position);
      pieces.push(...written);
      if (written.length > 0) rows.push(run.row);
      position += run.drafts.length;
    }
    const outcomes = plan.outcomes.map((outcome) => (outcome instanceof LogError ? outcome : outcome.map(conclude)));
    return { outcomes, pieces, rows, hasRowChanges };
  };

  function load(batches: readonly Batch[]): LoadedRows {
    const runs = new Map<string, RunRow>();
    const keys = new Map<string, FirstReceipt | LogError>();
    for (const { run_id, idempotency_key } of batches.flat()) {
      const row = runs.has(run_id) ? undefined : tables.runs.find(run_id);
      if (row) runs.set(run_id, row);
      const receipt = idempotency_key === undefined ? undefined : tables.keys.find(idempotency_key);
      if (receipt && idempotency_key !== undefined) keys.set(idempotency_key, receipt);
    }
    return { runs, keys };
  }

  function write(run: PlannedRun, position: number): Piece[] {
    const { row, chunks } = compose(run.row, run.drafts);
    if (run.drafts.length > 0) row.last_position = position + run.drafts.length;
    if (run.isNew) row.run = tables.runs.insert(row);
    else if (run.hasNewFacts) tables.runs.update(row);
    else tables.runs.advance(row);
    run.row = row;
    const { run_id } = row;
    let last = position;
    return chunks.map(({ first_sequence, events, types, head, bytes, lines }) => {
      const positions = [[last + 1, events]] as const;
      const sequences = [[first_sequence, events]] as const;
      const last_sequence = first_sequence + events - 1;
      const codes = typeSet([...types].map(tables.types.code));
      const place = { run: row.run, run_id, first_sequence, last_sequence, events, positions };
      tables.chunks.insert({ ...place, types: codes, head, bytes });
      last += events;
      return { run_id, bytes, sequences, positions, lines, eventTypes: types };
    });
  }

  /** The receipt of an append, stored under its key if it has one. Deletes the keys that the append names. */
  function conclude(planned: PlannedAppend): AppendReceipt {
    const { repeated, ...receipt } = receiptOf(planned);
    const { idempotency_key, forget_keys = [] } = planned.append;
    if (repeated) return { ...receipt, repeated };
    if (idempotency_key !== undefined) tables.keys.put(idempotency_key, receipt, now());
    for (const key of forget_keys) tables.keys.remove(key);
    return { ...receipt, repeated };
  }
}
