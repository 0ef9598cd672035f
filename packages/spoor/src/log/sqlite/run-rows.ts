import { crc32 } from "node:zlib";
import type { RunFacts, RunRecord, RunStatus } from "../records.ts";
import type { DatabaseSync } from "./driver.ts";

/** A run's row, as the log itself uses it. */
export interface RunRow {
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
  head: string;
  bytes: number;
  facts: string;
  crc: number;
}

export interface RunRows {
  find(run_id: string): RunRow | undefined;
  get(run: number): RunRow | undefined;
  insert(row: NewRow): number;
  update(row: RunRow): void;
  /** The same after an append that told nothing but events: no index has to be touched. */
  advance(row: RunRow): void;
}

type NewRow = Omit<RunRow, "run" | "crc">;

const fixed = ["run_id", "task_id", "session_id", "agent", "kind", "created_at"] as const;
const changing = [
  ...(["native_session_id", "status", "updated_at", "epoch", "last_sequence", "last_position"] as const),
  ...(["last_event_id", "head", "bytes", "facts"] as const),
];
const place = ["updated_at", "last_sequence", "last_position", "last_event_id", "head", "bytes"] as const;
const columns = [...fixed, ...changing];

export function createRunRows(database: DatabaseSync): RunRows {
  const byId = database.prepare("SELECT * FROM runs WHERE run_id = ?");
  const unindexed = database.prepare("SELECT * FROM runs NOT INDEXED WHERE run_id = ?");
  const byKey = database.prepare("SELECT * FROM runs WHERE run = ?");
  const insert = database.prepare(
    `INSERT INTO runs (${columns.join(", ")}, crc) VALUES (${columns.map(() => "?").join(", ")}, ?)`,
  );
  const updating = (names: readonly string[]) =>
    database.prepare(`UPDATE runs SET ${names.map((column) => `${column} = ?`).join(", ")}, crc = ? WHERE run = ?`);
  const update = updating(changing);
  const advance = updating(place);
  return {
    // A damaged index must not make a run vanish.
    find: (run_id) => (byId.get(run_id) ?? unindexed.get(run_id)) as RunRow | undefined,
    get: (run) => byKey.get(run) as RunRow | undefined,
    insert: (row) => Number(insert.run(...columns.map((column) => row[column]), crcOf(row)).lastInsertRowid),
    update(row) {
      update.run(...changing.map((column) => row[column]), crcOf(row), row.run);
    },
    advance(row) {
      advance.run(...place.map((column) => row[column]), crcOf(row), row.run);
    },
  };
}

export const isIntact = (row: RunRow): boolean => row.crc === crcOf(row);

/** What the row says of the run to whoever asks. */
export function recordOf(row: RunRow, first_sequence: number): RunRecord {
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

export function withFacts(row: RunRow, facts: RunFacts): RunRow {
  const { status = row.status, native_session_id = row.native_session_id, ...rest } = facts;
  return { ...row, status, native_session_id, facts: JSON.stringify({ ...factsOf(row), ...rest }) };
}

function factsOf({ facts }: RunRow): RunFacts {
  try {
    return JSON.parse(facts);
  } catch {
    return {};
  }
}

const crcOf = (row: NewRow): number => crc32(columns.map((column) => row[column]).join(" "));
