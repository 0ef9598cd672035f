import { isReservedType } from "@spoor/protocol/lines";
import { newRow, type RunRow, withFacts } from "../chunks/run-row.ts";
import type { Effect } from "../effects.ts";
import { LogError } from "../errors.ts";
import type { Batch } from "../group-commit.ts";
import type { AppendReceipt, LogDraft, RunAppend } from "../log.ts";
import type { NewRun } from "../records.ts";
import { checkEffects } from "./check-effects.ts";
import { checkGuard } from "./check-guard.ts";

/** The rows that a plan depends on, as the store holds them. */
export interface LoadedRows {
  /** The runs that the batches name, as far as they exist. */
  runs: ReadonlyMap<string, RunRow>;
  /** The receipt of each idempotency key that was used before, or why that receipt cannot be read. */
  keys: ReadonlyMap<string, FirstReceipt | LogError>;
}

/** The receipt of the first append under an idempotency key. */
export type FirstReceipt = Omit<AppendReceipt, "repeated">;

export interface PrepareOptions {
  /** Epoch milliseconds. */
  now: number;
  newTaskId(): string;
  /** Whether a type was accepted before; its syntax is not checked again. */
  isKnownType(type: string): boolean;
  /**
   * Writes the effects of a batch to the store, and the tasks of its new runs. If it throws a LogError, it must have changed
   * nothing, and the batch is refused.
   */
  write(effects: readonly Effect[], newRuns: readonly RunRow[]): void;
}

/** Everything to write for the batches of one commit. */
export interface Plan {
  /** For each batch its appends, or why nothing of the batch is written. */
  outcomes: (PlannedAppend[] | LogError)[];
  runs: PlannedRun[];
}

export interface PlannedRun {
  /** The row with the new facts. The store that writes the drafts replaces it by the row that results from them. */
  row: RunRow;
  drafts: LogDraft[];
  isNew: boolean;
  /** Whether the run's facts change, and not only its last sequence and position. */
  hasNewFacts: boolean;
}

export type PlannedAppend =
  | { append: RunAppend; repeats: FirstReceipt | WrittenAppend }
  | (WrittenAppend & { repeats?: undefined });

interface WrittenAppend {
  append: RunAppend;
  run: PlannedRun;
  /** Index of its first draft among those of the run. */
  firstDraft: number;
}

/** Checks batches against the rows of a store. Either a whole batch is planned, or an error takes its place. */
export function prepare(batches: readonly Batch[], loaded: LoadedRows, options: PrepareOptions): Plan {
  const runs = new Map<string, PlannedRun>();
  const keys = new Map<string, WrittenAppend>();
  const outcomes = batches.map((batch) => {
    try {
      const planned = check(batch);
      writeEffects(planned);
      return take(planned);
    } catch (error) {
      if (error instanceof LogError) return error;
      throw error;
    }
  });
  return { outcomes, runs: [...runs.values()] };

  /** Changes no shared state, so that a failed batch leaves no trace. */
  function check(batch: Batch): PlannedAppend[] {
    const ofBatch = {
      runs: new Map<string, PlannedRun>(),
      keys: new Map<string, WrittenAppend>(),
      written: new Set<RunAppend>(),
    };
    return batch.map((append, index): PlannedAppend => {
      const { run_id, idempotency_key: key } = append;
      const repeats = key === undefined ? undefined : (ofBatch.keys.get(key) ?? keys.get(key) ?? loaded.keys.get(key));
      if (repeats instanceof LogError) throw repeats;
      if (repeats) return { append, repeats };
      const known = ofBatch.runs.get(run_id) ?? runs.get(run_id) ?? plannedRun(loaded.runs.get(run_id));
      if (append.create && known) throw new LogError("run_exists", `The run ${run_id} exists already.`);
      const run = known ?? (append.create && createdRun(append, append.create, options));
      if (!run) throw new LogError("run_not_found", `There is no run ${run_id}.`);
      checkEpoch(append, run.row);
      checkTypes(append, options);
      if (append.when) checkGuard(rowBefore(run, batch.slice(0, index), ofBatch.written), append.when);
      if (append.effects) checkEffects(append.effects);
      ofBatch.written.add(append);
      const planned = { append, run, firstDraft: 0 };
      ofBatch.runs.set(run_id, run);
      if (key !== undefined) ofBatch.keys.set(key, planned);
      return planned;
    });
  }

  /** After the checks, because these writes are not undone if a later check fails. */
  function writeEffects(planned: readonly PlannedAppend[]): void {
    const effects: Effect[] = [];
    const newRuns = new Set<RunRow>();
    for (const each of planned) {
      if (each.repeats) continue;
      if (each.append.effects) effects.push(...each.append.effects);
      if (each.run.isNew && !runs.has(each.append.run_id)) newRuns.add(each.run.row);
    }
    if (effects.length > 0 || newRuns.size > 0) options.write(effects, [...newRuns]);
  }

  function take(planned: PlannedAppend[]): PlannedAppend[] {
    for (const each of planned) {
      if (each.repeats) continue;
      const { append, run } = each;
      runs.set(append.run_id, run);
      each.firstDraft = run.drafts.length;
      for (const draft of append.drafts) run.drafts.push(draft);
      if (append.facts) run.row = withFacts(run.row, append.facts);
      run.hasNewFacts ||= append.facts !== undefined;
      if (append.idempotency_key !== undefined) keys.set(append.idempotency_key, each);
    }
    return planned;
  }
}

/** The run's row after the appends of the same batch that come first. */
function rowBefore({ row }: PlannedRun, earlier: Batch, written: ReadonlySet<RunAppend>): RunRow {
  return earlier
    .filter((append) => append.run_id === row.run_id && append.facts && written.has(append))
    .reduce((before, { facts = {} }) => withFacts(before, facts), row);
}

/** Returns the receipt of an append. Call it when the run's row is the one after all its drafts. */
export function receiptOf(planned: PlannedAppend): AppendReceipt {
  if (planned.repeats) {
    const first = "run" in planned.repeats ? receiptOf(planned.repeats) : planned.repeats;
    return { ...first, repeated: true };
  }
  const { append, run, firstDraft } = planned;
  const { run_id, epoch, last_sequence: runEnd, last_position } = run.row;
  const first_sequence = runEnd - run.drafts.length + 1 + firstDraft;
  const last_sequence = first_sequence + append.drafts.length - 1;
  const receipt = { run_id, epoch, first_sequence, last_sequence };
  return { ...receipt, last_position: last_position - (runEnd - last_sequence), repeated: false };
}

const plannedRun = (row: RunRow | undefined): PlannedRun | undefined =>
  row && { row, drafts: [], isNew: false, hasNewFacts: false };

function createdRun({ run_id, drafts }: RunAppend, create: NewRun, { now, newTaskId }: PrepareOptions): PlannedRun {
  const { task_id = newTaskId(), session_id = null, agent, kind } = create;
  const created_at = drafts[0]?.timestamp ?? now;
  const row = newRow({ run_id, task_id, session_id, agent, kind, created_at });
  return { row, drafts: [], isNew: true, hasNewFacts: true };
}

function checkEpoch({ run_id, create, epoch }: RunAppend, row: RunRow): void {
  if (epoch === undefined || create || epoch === row.epoch) return;
  throw new LogError(
    "fenced",
    `The append to ${run_id} came with epoch ${epoch}, but another producer has taken over with epoch ${row.epoch}.`,
  );
}

function checkTypes({ create, epoch, drafts }: RunAppend, { isKnownType }: PrepareOptions): void {
  const malformed = drafts.find(({ type }) => !isKnownType(type) && !isEventType(type));
  if (malformed) throw new LogError("bad_event", `${JSON.stringify(malformed.type)} is not a valid event type.`);
  const isCaller = epoch === undefined && !create;
  const reserved = isCaller ? drafts.find(({ type }) => isReservedType(type)) : undefined;
  if (reserved)
    throw new LogError("reserved_type", `The event type ${reserved.type} is reserved for events that Spoor writes.`);
}

/** The type goes into the envelope without escaping. */
const isEventType = (type: string): boolean => TYPE.test(type) && type.length <= 200;
const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/;
