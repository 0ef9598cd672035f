import { createUlidSource, prefixed, ulidTime } from "@spoor/protocol/ids";
import { createEnvelopeWriter } from "@spoor/protocol/write";
import { CHAIN_START, link } from "../chain.ts";
import { LogError } from "../errors.ts";
import type { Batch } from "../group-commit.ts";
import type { LogDraft, Piece, Receipt, RunAppend } from "../log.ts";
import { typeSet } from "./event-types.ts";
import { type RunRow, withFacts } from "./run-rows.ts";
import type { Store } from "./store.ts";

/** A chunk is read as a whole, so it has a limit in events and in bytes. */
export const CHUNK_EVENTS = 256;
export const CHUNK_BYTES = 256 * 1024;

/**
 * Writes batches in the transaction that is open: each is first held against the runs as they stand, and one that
 * cannot be done is left out whole. Returns what became of each, and the pieces that were written.
 */
export function createCommit(store: Store, now: () => number) {
  const ids = createIds(now);
  const writers = new Map<string, ReturnType<typeof createEnvelopeWriter>>();

  return (batches: readonly Batch[]): { outcomes: (Receipt[] | Error)[]; pieces: Piece[] } => {
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
    for (const run of open.values()) {
      if (run.drafts.length === 0 && !run.changed) continue;
      const written = write(run, position);
      pieces.push(...written);
      position += run.drafts.length;
    }
    const told = outcomes.map((outcome) =>
      outcome instanceof Error ? outcome : outcome.map((prepared) => receiptOf(prepared, open)),
    );
    return { outcomes: told, pieces };
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
      const odd = append.drafts.find(({ type }) => !isEventType(type));
      if (odd) throw new LogError("bad_event", `${JSON.stringify(odd.type)} is no type of an event.`);
      return { append, run };
    });
    return runs.map(({ append, run }) => {
      if (!run) return { append, first: 0, repeated: true };
      open.set(append.run_id, run);
      const first = run.drafts.length;
      for (const draft of append.drafts) run.drafts.push(draft);
      if (append.facts) run.row = withFacts(run.row, append.facts);
      run.changed ||= append.facts !== undefined || append.create !== undefined;
      if (append.idempotency_key !== undefined) store.keys.add(append.idempotency_key, append.run_id, now());
      return { append, first, repeated: false };
    });
  }

  function load(run_id: string): OpenRun | undefined {
    const row = store.runs.find(run_id);
    return row && { row, drafts: [], isNew: false, changed: false };
  }

  function write(run: OpenRun, position: number): Piece[] {
    const { row, drafts } = run;
    const writer = writers.get(row.run_id) ?? createEnvelopeWriter(idsOf(row));
    remember(row.run_id, writer);
    const first_sequence = row.last_sequence + 1;
    const last_sequence = row.last_sequence + drafts.length;
    const heads: string[] = [];
    let { head, last_event_id, updated_at } = row;
    const lines = drafts.map((draft, index) => {
      updated_at = Math.max(updated_at, draft.timestamp);
      last_event_id = ids.after(last_event_id);
      const line = writer(
        { type: draft.type, json: draft.json, timestamp: updated_at },
        last_event_id,
        first_sequence + index,
      );
      head = link(head, line);
      heads.push(head);
      return line;
    });
    const last_position = position + drafts.length;
    const told = { ...row, head, last_event_id, updated_at, last_sequence };
    run.row = { ...told, last_position: drafts.length > 0 ? last_position : row.last_position };
    if (run.isNew) run.row.run = store.runs.insert(run.row);
    else store.runs.update(run.row);
    return cut(lines).map(([start, end]) => {
      const bytes = Buffer.from(`${lines.slice(start, end).join("\n")}\n`);
      const positions = [[position + 1 + start, end - start]] as const;
      const sequences = [[first_sequence + start, end - start]] as const;
      const codes = new Set<number>();
      for (let index = start; index < end; index++) codes.add(store.types.code((drafts[index] as LogDraft).type));
      store.chunks.insert({
        run: run.row.run,
        run_id: row.run_id,
        first_sequence: first_sequence + start,
        last_sequence: first_sequence + end - 1,
        events: end - start,
        positions,
        types: typeSet(codes),
        head: heads[end - 1] as string,
        bytes,
      });
      return { run_id: row.run_id, bytes, sequences, positions };
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
    if (idempotency_key !== undefined) store.keys.settle(idempotency_key, receipt);
    return { ...receipt, repeated: false };
  }

  /** Writers of runs that are being written stay; others are made again when needed. */
  function remember(run_id: string, writer: ReturnType<typeof createEnvelopeWriter>): void {
    if (writers.size >= 1_000) writers.clear();
    writers.set(run_id, writer);
  }

  function create({ run_id, create, drafts }: RunAppend, at: number): OpenRun {
    const {
      task_id = prefixed("task", ids.bare()),
      session_id = null,
      agent,
      kind,
    } = create as NonNullable<RunAppend["create"]>;
    const created_at = drafts[0]?.timestamp ?? at;
    store.tasks.ensure(task_id, created_at);
    const names = { run: 0, run_id, task_id, session_id, agent, kind, status: "queued" as const, created_at };
    const place = { epoch: 1, last_sequence: -1, last_position: -1, last_event_id: "", head: CHAIN_START };
    return {
      row: { ...names, ...place, updated_at: created_at, facts: "{}", crc: 0 },
      drafts: [],
      isNew: true,
      changed: true,
    };
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

const idsOf = ({ run_id, task_id, session_id }: RunRow) => ({
  run_id,
  task_id,
  ...(session_id !== null && { session_id }),
});

/** It is written into the envelope as it is. */
const isEventType = (type: string): boolean => TYPE.test(type) && type.length <= 200;
const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/;

/** Stretches of lines that each make a chunk. */
function cut(lines: readonly string[]): [start: number, end: number][] {
  const stretches: [number, number][] = [];
  let start = 0;
  let size = 0;
  lines.forEach((line, index) => {
    if (index > start && (index - start === CHUNK_EVENTS || size + line.length > CHUNK_BYTES)) {
      stretches.push([start, index]);
      start = index;
      size = 0;
    }
    size += line.length + 1;
  });
  if (lines.length > start) stretches.push([start, lines.length]);
  return stretches;
}

/** Event ids that increase within a run, whichever process wrote the one before. */
function createIds(now: () => number): { after(last: string): string; bare(): string } {
  let floor = 0;
  const next = createUlidSource({ now: () => Math.max(now(), floor), prefix: "evt_" });
  return {
    after(last) {
      const id = next();
      if (id > last) return id;
      floor = ulidTime(last) + 1;
      return next();
    },
    bare: () => next().slice(4),
  };
}
