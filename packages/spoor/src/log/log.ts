import type { AppendReceipt, RunAppend } from "./append.ts";
import type { Effect, Rows } from "./effects.ts";
import type { LogError } from "./errors.ts";
import type { Lines } from "./lines.ts";
import type { Queue } from "./queue.ts";
import type { Ranges } from "./ranges.ts";
import type { CountsByState, RunQuery, StoredRun, StoredTask, TaskQuery } from "./records.ts";
import type { Table } from "./tables.ts";
import type { CommandListener } from "./watch-commands.ts";

export type { AppendReceipt, LogDraft, RunAppend } from "./append.ts";

/**
 * The append-only store of envelopes. All of these hold for several processes on one store:
 *
 * - when `append` resolves, the events are durable; readers never see an event before it is durable;
 * - the sequences of a run start at 0 and have no gap; positions increase in the order of commits, and a reader sees no
 *   position before all lower ones;
 * - the bytes of an envelope are made once and are the same on every read.
 *
 * @example
 * const log = await openLog({ directory: "./runs" });
 * const { runs } = await log.runs({ limit: 10 });
 * for (const { run_id, agent, status } of runs) console.log(run_id, agent, status);
 * await log.close();
 */
export interface Log {
  /** The data directory, if the log is in one. Large contents are stored beside it. */
  readonly directory?: string;
  /** Stores the whole batch or nothing. Appends that wait at the same time share a commit; a single one is not delayed. */
  append(batch: readonly RunAppend[]): Promise<AppendReceipt[]>;
  /** Takes over as the run's producer and returns the new epoch. Appends with an earlier epoch are refused from then on. */
  claim(run_id: string): Promise<number>;
  /** The events of a run after a sequence. Damaged events are replaced by `gap.events_lost`. */
  read(run_id: string, query?: ReadQuery): Promise<Page>;
  /** The events of all runs after a position, in the order of positions. */
  readAll(query?: ReadAllQuery): Promise<Page>;
  /**
   * The last position before the first event at or after a time (epoch ms); `lastPosition` if every event is older.
   * Positions follow the order of commits, so events after the position may have an earlier time.
   */
  positionBefore(time: number): Promise<number>;
  run(run_id: string): Promise<StoredRun | undefined>;
  /** Newest first. */
  runs(query?: RunQuery): Promise<{ runs: StoredRun[]; more: boolean; counts?: CountsByState }>;
  task(task_id: string): Promise<StoredTask | undefined>;
  tasks(query?: TaskQuery): Promise<{ tasks: StoredTask[]; more: boolean }>;
  /** Durable state beside the events, in the tables of `tables.ts`. */
  readonly rows: Rows;
  /** The runs that wait for a worker. */
  readonly queue: Queue;
  /** Calls the listener for every row that any process has inserted, changed or deleted, after the commit. */
  watchRows(listener: (table: Table, key: string) => void): () => void;
  /** Calls the listener with the open commands of a run: those that exist, and each new one, once for each. */
  watchCommands(run_id: string, listener: CommandListener): () => void;
  /** The newest events, as far as they are in memory. */
  readonly recent: Recent;
  /** Calls the listener after every commit of any process, in the order of positions and without a hole. */
  watch(listener: (piece: Piece) => void): () => void;
  /** The position of the last visible event; -1 in an empty log. */
  readonly lastPosition: number;
  /** Why nothing can be appended until the log is opened again; undefined if appending works. */
  readonly fault: LogError | undefined;
  readonly upkeep: Upkeep;
  readonly tapes: Tapes;
  /** Aborts when `close` is called. Readers that follow the log then stop. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

/** Selects events of one run. */
export interface ReadQuery {
  /** Only events after this one. Absent or -1: from the start. */
  after?: number;
  /** At most this many events. */
  limit?: number;
  /** At most this many bytes, but at least one event. Default: 1 MiB. */
  maxBytes?: number;
  /** Only events of types that it accepts. Pass the same function for the same filter: results are cached per function. */
  match?: (type: string) => boolean;
  /**
   * Receives the pieces one by one; the returned page holds none. The bytes of a piece are invalid once this function
   * returns, because their memory is freed at once instead of by the garbage collector many megabytes later.
   */
  each?: (piece: Piece) => void;
}

/** Selects events of all runs. */
export interface ReadAllQuery extends ReadQuery {
  task_id?: string;
  agent?: string;
}

/** A part of the events that a query selects. */
export interface Page {
  pieces: readonly Piece[];
  /** The `after` of the next page. Includes events that the filter did not accept. */
  next: number;
  /** Whether more events follow. */
  more: boolean;
}

/** Consecutive events of one run, as they were stored. */
export interface Piece {
  readonly run_id: string;
  /** One envelope per line, each with its newline. Readers share this buffer, so it must not be changed. */
  readonly bytes: Buffer;
  readonly sequences: Ranges;
  readonly positions: Ranges;
  /** Where its lines end, if that is known. */
  readonly lines?: Lines;
  /** The types of its events, if they are known. */
  readonly eventTypes?: ReadonlySet<string>;
}

/** The newest events of a log, from memory. */
export interface Recent {
  /** The pieces after a sequence; undefined if they are not all in memory, so that the store must be read. */
  after(run_id: string, sequence: number): readonly Piece[] | undefined;
  afterPosition(position: number): readonly Piece[] | undefined;
}

/** Maintenance of a log. */
export interface Upkeep {
  /** Joins small chunks of one run or of all, and compresses those of runs that ended before `coldBefore` (epoch ms). */
  merge(options?: { run_id?: string; coldBefore?: number }): Promise<{ before: number; after: number }>;
  /**
   * Removes a run's events up to a sequence and stores `gap.events_pruned` in the slot of the last of them. Also removes
   * the tape if the run is over, and the approvals, artifacts and finished commands that the removed events tell of.
   * `effects` are written in the same transaction.
   */
  prune(run_id: string, through: number, reason: PruneReason, effects?: readonly Effect[]): Promise<void>;
  /**
   * Returns the space of removed events to the disk and leaves no trace of them, unless a reader is open meanwhile. Needs as
   * much free space as the log is large, and appends wait. Returns bytes.
   */
  shrink(): Promise<{ before: number; after: number }>;
  /** Deletes the idempotency keys of appends and the rows of `requests` before a time (epoch ms). */
  forgetKeys(before: number): Promise<void>;
  /** Reads all events, compares them with their checksums and hash chain, and returns a verdict for each run. */
  verify(run_id?: string): AsyncIterable<RunVerdict>;
}

/** Why events were removed. Readers find it in `gap.events_pruned`. */
export type PruneReason = "retention_window" | "retention_count" | "retention_size" | "operator";

/** What `verify` found out about one run. */
export interface RunVerdict {
  /** Empty for damage that belongs to no single run. */
  run_id: string;
  events: number;
  /** The hash chain after the last event, in hex. */
  head: string;
  /** Empty if there is no damage. */
  damage: { first_sequence: number; last_sequence: number; reason: "corrupt" | "truncated" | "missing" }[];
  /** Set if the tape is damaged. */
  tape?: "corrupt";
}

/** The raw native lines of runs. A run with a tape has `has_tape` in its row. */
export interface Tapes {
  /** A second append under the same key does nothing. */
  append(run_id: string, lines: readonly TapeLine[], options?: { idempotency_key?: string }): Promise<void>;
  read(run_id: string): AsyncIterable<TapeLine>;
}

/** One raw line from or to the process of an agent. */
export interface TapeLine {
  /** Epoch milliseconds. */
  at: number;
  /** `exit` holds `{"code":…,"signal":…}`. */
  from: "stdout" | "stderr" | "stdin" | "exit";
  text: string;
}
