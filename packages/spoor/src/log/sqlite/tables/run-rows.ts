import { crc32 } from "node:zlib";
import { CHAIN_START } from "../../chunks/chain.ts";
import type { RunFacts, RunRecord, RunStatus } from "../../records.ts";
import type { DatabaseSync } from "../driver.ts";

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
  /** A run without events. */
  create(run: RunNames & Pick<RunRow, "status" | "facts">): RunRow;
  update(row: RunRow): void;
  /** The same after an append that told nothing but events: no index has to be touched. */
  advance(row: RunRow): void;
}

type NewRow = Omit<RunRow, "run" | "crc">;
type RunNames = Pick<RunRow, "run_id" | "task_id" | "session_id" | "agent" | "kind" | "created_at">;

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

const fixed = ["run_id", "task_id", "session_id", "agent", "kind", "created_at"] as const;
const changing = [
  ...(["native_session_id", "status", "updated_at", "epoch", "last_sequence", "last_position"] as const),
  ...(["last_event_id", "head", "bytes", "facts"] as const),
];
const place = ["updated_at", "last_sequence", "last_position", "last_event_id", "head", "bytes"] as const;
const columns = [...fixed, ...changing];
/** For a statement that returns arrays: of these columns `rowOf` makes the row. */
const EVERY_COLUMN = ["run", ...columns, "crc"].join(", ");

export function createRunRows(database: DatabaseSync): RunRows {
  const selecting = (from: string) => {
    const statement = database.prepare(`SELECT ${EVERY_COLUMN} FROM ${from} = ?`);
    statement.setReturnArrays(true);
    return (key: string | number) => {
      const values = statement.get(key) as unknown[] | undefined;
      return values && rowOf(values);
    };
  };
  const byId = selecting("runs WHERE run_id");
  const unindexed = selecting("runs NOT INDEXED WHERE run_id");
  const insert = database.prepare(
    `INSERT INTO runs (${columns.join(", ")}, crc) VALUES (${columns.map(() => "?").join(", ")}, ?)`,
  );
  const updating = (names: readonly string[]) =>
    database.prepare(`UPDATE runs SET ${names.map((column) => `${column} = ?`).join(", ")}, crc = ? WHERE run = ?`);
  const update = updating(changing);
  const advance = updating(place);
  const insertRow = (row: NewRow): number =>
    Number(insert.run(...columns.map((column) => row[column]), crcOf(row)).lastInsertRowid);
  return {
    // A damaged index must not make a run vanish.
    find: (run_id) => byId(run_id) ?? unindexed(run_id),
    get: selecting("runs WHERE run"),
    insert: insertRow,
    create(run) {
      const row = { ...newRow(run), ...run };
      return { ...row, run: insertRow(row) };
    },
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

export function factsOf({ facts }: RunRow): RunFacts {
  try {
    return JSON.parse(facts);
  } catch {
    return {};
  }
}

/** Written out: rows are found for every append, and an object that is made in one go is quick to make, read and copy. */
const rowOf = (values: readonly unknown[]): RunRow => ({
  run: values[0] as number,
  run_id: values[1] as string,
  task_id: values[2] as string,
  session_id: values[3] as string | null,
  agent: values[4] as string,
  kind: values[5] as string,
  created_at: values[6] as number,
  native_session_id: values[7] as string | null,
  status: values[8] as RunStatus,
  updated_at: values[9] as number,
  epoch: values[10] as number,
  last_sequence: values[11] as number,
  last_position: values[12] as number,
  last_event_id: values[13] as string,
  head: values[14] as string,
  bytes: values[15] as number,
  facts: values[16] as string,
  crc: values[17] as number,
});

const crcOf = (row: NewRow): number => crc32(columns.map((column) => row[column]).join(" "));
