import { crc32 } from "node:zlib";
import type { FactChanges, RunFacts, RunStatus, StoredRun } from "../records.ts";
import { CHAIN_START } from "./chain.ts";

/** A run's row as a store keeps it. */
export interface RunRow {
  /** The store's own number for the run; 0 until it is stored. */
  run: number;
  run_id: string;
  task_id: string;
  session_id: string | null;
  agent: string;
  kind: string;
  native_session_id: string | null;
  status: RunStatus;
  created_at: number;
  updated_at: number;
  epoch: number;
  last_sequence: number;
  last_position: number;
  last_event_id: string;
  /** The hash chain after the last event. */
  head: string;
  bytes: number;
  /** The other facts of the run, as JSON. */
  facts: string;
  /** Checksum of all the columns in `runColumns`. */
  crc: number;
}

export type NewRow = Omit<RunRow, "run" | "crc">;
export type RunNames = Pick<RunRow, "run_id" | "task_id" | "session_id" | "agent" | "kind" | "created_at">;

/** The columns that every append changes. */
export const placeColumns = [
  ...(["updated_at", "last_sequence", "last_position", "last_event_id", "head", "bytes"] as const),
];
/** The columns that may change after the run was created. */
export const changingColumns = [
  ...(["native_session_id", "status", "updated_at", "epoch", "last_sequence", "last_position"] as const),
  ...(["last_event_id", "head", "bytes", "facts"] as const),
];
/** All columns that the checksum covers, in the order it covers them. */
export const runColumns = [
  ...(["run_id", "task_id", "session_id", "agent", "kind", "created_at"] as const),
  ...changingColumns,
];

/** The row of a run that has no events yet and is not stored. */
export const newRow = (run: RunNames): RunRow => ({
  ...run,
  run: 0,
  native_session_id: null,
  status: "queued",
  updated_at: run.created_at,
  epoch: 1,
  last_sequence: -1,
  last_position: -1,
  last_event_id: "",
  head: CHAIN_START,
  bytes: 0,
  facts: "{}",
  crc: 0,
});

export const runCrc = (row: NewRow): number => crc32(runColumns.map((column) => row[column]).join(" "));

/** Whether the row matches its checksum. */
export const isIntact = (row: RunRow): boolean => row.crc === runCrc(row);

export function withFacts(row: RunRow, changes: FactChanges): RunRow {
  const { status = row.status, native_session_id = row.native_session_id, ...rest } = changes;
  const facts: Record<string, unknown> = { ...factsOf(row), ...rest };
  for (const [name, value] of Object.entries(rest)) if (value === null) delete facts[name];
  return { ...row, status, native_session_id, facts: JSON.stringify(facts) };
}

/** The facts of a run; empty if a damaged row holds no JSON. */
export function factsOf({ facts }: Pick<RunRow, "facts">): RunFacts {
  try {
    return JSON.parse(facts);
  } catch {
    return {};
  }
}

/** The record that callers receive for a row. */
export function recordOf(row: RunRow, first_sequence: number): StoredRun {
  const { run_id, task_id, session_id, agent, kind, status, created_at, updated_at, last_sequence, last_position } =
    row;
  return {
    ...factsOf(row),
    ...(row.native_session_id !== null && { native_session_id: row.native_session_id }),
    run_id,
    task_id,
    ...(session_id !== null && { session_id }),
    agent,
    kind,
    status,
    epoch: row.epoch,
    created_at,
    updated_at,
    first_sequence,
    last_sequence,
    last_position,
    head: row.head,
    bytes: row.bytes,
    ...(!isIntact(row) && { damaged: true }),
  };
}
