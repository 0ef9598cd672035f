import type { LogError } from "./errors.ts";
import type { Lines } from "./lines.ts";
import type { Ranges } from "./ranges.ts";
import type { NewRun, RunFacts, RunQuery, RunRecord, TaskQuery, TaskRecord } from "./records.ts";

/**
 * The append-only store of envelopes. Every promise of it holds for several processes on one store:
 *
 * - what `append` resolved is durable, and nobody has seen what is not;
 * - a run's sequences start at 0 and have no gap; positions increase in the order of commits, and no reader sees one
 *   before all lower ones;
 * - an envelope's bytes are made once and are the same on every read.
 */
export interface Log {
  /** All of it or nothing, in one transaction. Whatever waits to be appended shares a commit; a lone append is not held. */
  append(batch: readonly RunAppend[]): Promise<Receipt[]>;
  /** Takes over as the run's producer and returns the new epoch: appends under an earlier one are refused from now on. */
  claim(run_id: string): Promise<number>;
  /** A run's events after a sequence. Damage shows as `gap.events_lost`, never as silence. */
  read(run_id: string, query?: ReadQuery): Promise<Page>;
  /** Events of all runs after a position, in the order of positions. */
  readAll(query?: ReadAllQuery): Promise<Page>;
  /**
   * The last position before the first event at or after a time (epoch ms); `lastPosition` when every event is older.
   * Events are in the order of commits, so some that follow the position may have an earlier time.
   */
  positionBefore(time: number): Promise<number>;
  run(run_id: string): Promise<RunRecord | undefined>;
  /** Newest first. */
  runs(query?: RunQuery): Promise<{ runs: RunRecord[]; more: boolean }>;
  task(task_id: string): Promise<TaskRecord | undefined>;
  tasks(query?: TaskQuery): Promise<{ tasks: TaskRecord[]; more: boolean }>;
  /** The newest events, as far as they are at hand. */
  readonly recent: Recent;
  /** Told after every commit, ours or another process's, in the order of positions and without a hole. */
  watch(listener: (piece: Piece) => void): () => void;
  /** Position of the last event that is visible; -1 in an empty log. */
  readonly lastPosition: number;
  /** Why nothing can be appended any more, until the log is opened again; undefined while all is well. */
  readonly fault: LogError | undefined;
  readonly upkeep: Upkeep;
  readonly tapes: Tapes;
  close(): Promise<void>;
}

/** An envelope without its place: the log gives it an id and a sequence. `json` is its `data`. */
export interface LogDraft {
  type: string;
  /** Epoch milliseconds. A run's times never go back: an earlier one is stored as the time before it. */
  timestamp: number;
  json: string;
}

export interface RunAppend {
  run_id: string;
  /** The run comes into being with this append. */
  create?: NewRun;
  /** The producer's epoch. Absent: a caller's event, which may join at any time. */
  epoch?: number;
  drafts: readonly LogDraft[];
  /** What changes in the run's own row. */
  facts?: RunFacts;
  /** A second append under the same key does nothing and gives the first one's receipt. */
  idempotency_key?: string;
  /** Keys of earlier appends that nobody will send again. They are deleted in the same transaction. */
  forget_keys?: readonly string[];
}

export interface Receipt {
  run_id: string;
  epoch: number;
  first_sequence: number;
  last_sequence: number;
  last_position: number;
  /** The key had been used: this is what was done then. */
  repeated: boolean;
}

export interface ReadQuery {
  /** Strictly greater; absent or -1: from the start. */
  after?: number;
  /** At most this many events. */
  limit?: number;
  /** Stops once this many bytes are there; at least one event comes. 1 MiB when absent. */
  maxBytes?: number;
  /** Only events of types it accepts. The same function for the same filter: what it says is remembered by identity. */
  match?: (type: string) => boolean;
  /**
   * Takes the pieces one by one as they are found, and the page that is returned holds none. Their bytes are gone when it
   * returns: the memory is used again, where a collector would come to it only many megabytes later.
   */
  each?: (piece: Piece) => void;
}

export interface ReadAllQuery extends ReadQuery {
  task_id?: string;
  agent?: string;
}

export interface Page {
  pieces: readonly Piece[];
  /** To be given as `after` for what follows: everything up to here was looked at. */
  next: number;
  /** Whether there was more when this was read. */
  more: boolean;
}

/** Consecutive events of one run, as they were stored. */
export interface Piece {
  readonly run_id: string;
  /** One envelope a line, each with its newline. Never to be changed: readers share it. */
  readonly bytes: Buffer;
  readonly sequences: Ranges;
  readonly positions: Ranges;
  /** Where its lines end, when that need not be looked for. */
  readonly lines?: Lines;
  /** The types of its events, when they are known without looking. */
  readonly eventTypes?: ReadonlySet<string>;
}

export interface Recent {
  /** The pieces that follow without a hole; undefined when they are no longer (or not yet) at hand and the store must be read. */
  after(run_id: string, sequence: number): readonly Piece[] | undefined;
  afterPosition(position: number): readonly Piece[] | undefined;
}

/** What is done to a log besides appending to it. */
export interface Upkeep {
  /** Joins small chunks, of one run or of all, and compresses those of runs that ended before `coldBefore` (epoch ms). */
  merge(options?: { run_id?: string; coldBefore?: number }): Promise<{ before: number; after: number }>;
  /**
   * Takes away a run's events up to a sequence and puts `gap.events_pruned` in the place of the last of them. The tape of
   * a run that is over goes with them.
   */
  prune(run_id: string, through: number, reason: PruneReason): Promise<void>;
  /**
   * Gives the room of what is gone back to the disk, and leaves no trace of it, save while somebody else still reads the log
   * as it was. Needs as much room once more while it is at it, and whoever appends waits. Returns bytes.
   */
  shrink(): Promise<{ before: number; after: number }>;
  /** Forgets the keys of appends made before then (epoch ms): they may be used anew. */
  forgetKeys(before: number): Promise<void>;
  /** Reads everything and compares it with the hash chain. */
  verify(run_id?: string): AsyncIterable<RunVerdict>;
}

export type PruneReason = "retention_window" | "retention_count" | "retention_size" | "operator";

export interface RunVerdict {
  /** Empty for damage that is not of one run. */
  run_id: string;
  events: number;
  /** Hash of the chain after the last event, in hex. */
  head: string;
  /** What is wrong; empty when all is well. */
  damage: { first_sequence: number; last_sequence: number; reason: "corrupt" | "truncated" | "missing" }[];
  /** Its raw lines are not as they were written. */
  tape?: "corrupt";
}

/** The raw native lines of runs; a run that has some says so in its row. */
export interface Tapes {
  /** A second append under the same key does nothing. */
  append(run_id: string, lines: readonly TapeLine[], options?: { idempotency_key?: string }): Promise<void>;
  read(run_id: string): AsyncIterable<TapeLine>;
}

export interface TapeLine {
  /** Epoch milliseconds. */
  at: number;
  /** `exit` holds `{"code":…,"signal":…}`. */
  from: "stdout" | "stderr" | "stdin" | "exit";
  text: string;
}
