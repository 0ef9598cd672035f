import { createUlidSource } from "@spoor/protocol/ids";
import { isReservedType } from "@spoor/protocol/write";
import { createComposer } from "../chunks/compose.ts";
import { typeSet } from "../chunks/event-types.ts";
import { LogError } from "../errors.ts";
import type { Batch } from "../group-commit.ts";
import type { LogDraft, Piece, Receipt, RunAppend } from "../log.ts";
import { newRow, type RunRow, withFacts } from "./tables/run-rows.ts";
import type { Store } from "./tables/tables.ts";

export interface Committed {
  /** What became of each batch. */
  outcomes: (Receipt[] | Error)[];
  pieces: Piece[];
  /** The rows of the runs that got events. */
  rows: RunRow[];
}

/**
 * Writes batches in the transaction that is open: each is first held against the runs as they stand, and one that
 * cannot be done is left out whole.
 */
export function createCommit(store: Store, now: () => number) {
  const compose = createComposer(now);
  const newTaskId = createUlidSource({ now, prefix: "task_" });

  return (batches: readonly Batch[]): Committed => {
    const open = new Map<string, OpenRun>();
    const outcomes = batches.map((batch) => {
      try {
        return prepare(batch, open);
      } catch (error) {
        if (error instanceof LogError) return error;
        throw error;
      }
    });
    let position = store.chunks.lastPosition();
    const pieces: Piece[] = [];
    const rows: RunRow[] = [];
    for (const run of open.values()) {
      if (run.drafts.length === 0 && !run.changed) continue;
      const written = write(run, position);
      pieces.push(...written);
      if (written.length > 0) rows.push(run.row);
      position += run.drafts.length;
    }
    const told = outcomes.map((outcome) =>
      outcome instanceof Error ? outcome : outcome.map((prepared) => receiptOf(prepared, open)),
    );
    return { outcomes: told, pieces, rows };
  };

  /** What a batch asks for, all of it checked before any of it is taken up. */
  function prepare(batch: Batch, open: Map<string, OpenRun>): Prepared[] {
    const runs = batch.map((append) => {
      if (append.idempotency_key !== undefined && store.keys.find(append.idempotency_key)) return { append };
      const known = open.get(append.run_id) ?? load(append.run_id);
      if (append.create && known) throw new LogError("run_exists", `There is a run ${append.run_id} already.`);
      if (!append.create && !known) throw new LogError("run_not_found", `There is no run ${append.run_id}.`);
      const run = known ?? create(append, now());
      if (append.epoch !== undefined && !append.create && append.epoch !== run.row.epoch) {
        throw new LogError(
          "fenced",
          `Epoch ${append.epoch} of ${append.run_id} has passed; ${run.row.epoch} writes now.`,
        );
      }
      const odd = append.drafts.find(({ type }) => !store.types.isKnown(type) && !isEventType(type));
      if (odd) throw new LogError("bad_event", `${JSON.stringify(odd.type)} is no type of an event.`);
      const isCaller = append.epoch === undefined && !append.create;
      const ours = isCaller ? append.drafts.find(({ type }) => isReservedType(type)) : undefined;
      if (ours) throw new LogError("reserved_type", `${ours.type} is in a group of types that Spoor itself writes.`);
      return { append, run };
    });
    return runs.map(({ append, run }) => {
      if (!run) return { append, first: 0, repeated: true };
      open.set(append.run_id, run);
      const first = run.drafts.length;
      for (const draft of append.drafts) run.drafts.push(draft);
      if (append.facts) run.row = withFacts(run.row, append.facts);
      run.changed ||= append.facts !== undefined || append.create !== undefined;
      if (append.idempotency_key !== undefined) reserve(append.idempotency_key, append.run_id);
      for (const key of append.forget_keys ?? []) store.keys.remove(key);
      return { append, first, repeated: false };
    });
  }

  /** Until the receipt is known: another batch of the same commit may use the same key. */
  function reserve(key: string, run_id: string): void {
    store.keys.put(key, { run_id, epoch: 0, first_sequence: -1, last_sequence: -1, last_position: -1 }, now());
  }

  function load(run_id: string): OpenRun | undefined {
    const row = store.runs.find(run_id);
    return row && { row, drafts: [], isNew: false, changed: false };
  }

  function write(run: OpenRun, position: number): Piece[] {
    const { row, chunks } = compose(run.row, run.drafts);
    if (run.drafts.length > 0) row.last_position = position + run.drafts.length;
    if (run.isNew) row.run = store.runs.insert(row);
    else if (run.changed) store.runs.update(row);
    else store.runs.advance(row);
    const { run_id } = run.row;
    let last = position;
    run.row = row;
    return chunks.map(({ first_sequence, events, types, head, bytes, lines }) => {
      const positions = [[last + 1, events]] as const;
      const sequences = [[first_sequence, events]] as const;
      const last_sequence = first_sequence + events - 1;
      const codes = typeSet([...types].map(store.types.code));
      store.chunks.insert({
        run: row.run,
        run_id,
        first_sequence,
        last_sequence,
        events,
        positions,
        types: codes,
        head,
        bytes,
      });
      last += events;
      return { run_id, bytes, sequences, positions, lines, eventTypes: types };
    });
  }

  function receiptOf({ append, first, repeated }: Prepared, open: ReadonlyMap<string, OpenRun>): Receipt {
    const { run_id, idempotency_key } = append;
    if (repeated) return { ...store.keys.find(idempotency_key as string), repeated: true } as Receipt;
    const { row, drafts } = open.get(run_id) as OpenRun;
    const first_sequence = row.last_sequence - drafts.length + 1 + first;
    const last_sequence = first_sequence + append.drafts.length - 1;
    const last_position = row.last_position - (row.last_sequence - last_sequence);
    const receipt = { run_id, epoch: row.epoch, first_sequence, last_sequence, last_position };
    if (idempotency_key !== undefined) store.keys.put(idempotency_key, receipt, now());
    return { ...receipt, repeated: false };
  }

  function create({ run_id, create, drafts }: RunAppend, at: number): OpenRun {
    const { task_id = newTaskId(), session_id = null, agent, kind } = create as NonNullable<RunAppend["create"]>;
    const created_at = drafts[0]?.timestamp ?? at;
    store.tasks.ensure(task_id, created_at);
    const row = newRow({ run_id, task_id, session_id, agent, kind, created_at });
    return { row, drafts: [], isNew: true, changed: true };
  }
}

interface OpenRun {
  row: RunRow;
  drafts: LogDraft[];
  isNew: boolean;
  changed: boolean;
}

interface Prepared {
  append: RunAppend;
  /** Index of its first draft among those of the run. */
  first: number;
  repeated: boolean;
}

/** It is written into the envelope as it is. */
const isEventType = (type: string): boolean => TYPE.test(type) && type.length <= 200;
const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/;
