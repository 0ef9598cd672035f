import type { Effect } from "./effects.ts";
import type { FactChanges, FactGuard, NewRun } from "./records.ts";

/** An event to append. The log gives it an id and a sequence; `json` becomes its `data`. */
export interface LogDraft {
  type: string;
  /** Epoch milliseconds. Times within a run never go back: an earlier time is replaced by that of the event before. */
  timestamp: number;
  json: string;
}

/** Events to append to one run. */
export interface RunAppend {
  run_id: string;
  /** Creates the run with this append. */
  create?: NewRun;
  /** The producer's epoch. Absent for events of callers, which are accepted at any time. */
  epoch?: number;
  drafts: readonly LogDraft[];
  /** Changes to the run's row. */
  facts?: FactChanges;
  /** The facts that the run's row must have before this append. Otherwise the whole batch is refused with `conflict`. */
  when?: FactGuard;
  /** Changes of other rows, in the same transaction. If one cannot be done, the whole batch is refused with `conflict`. */
  effects?: readonly Effect[];
  /** A second append with the same key stores nothing and returns the receipt of the first. */
  idempotency_key?: string;
  /** Keys of earlier appends that nobody will send again. They are deleted in the same transaction. */
  forget_keys?: readonly string[];
}

/** Where the events of an append are in the log. */
export interface AppendReceipt {
  run_id: string;
  epoch: number;
  first_sequence: number;
  last_sequence: number;
  last_position: number;
  /** Whether the key was used before. Then this is the receipt of the first append. */
  repeated: boolean;
}
