import {
  changingColumns,
  type NewRow,
  newRow,
  placeColumns,
  type RunNames,
  type RunRow,
  runColumns,
  runCrc,
} from "../../chunks/run-row.ts";
import type { RunStatus } from "../../records.ts";
import type { DatabaseSync } from "../driver.ts";

export interface RunRows {
  find(run_id: string): RunRow | undefined;
  get(run: number): RunRow | undefined;
  /** Stores a new row and returns its number. */
  insert(row: NewRow): number;
  /** Stores a run without events. */
  create(run: RunNames & Pick<RunRow, "status" | "facts">): RunRow;
  update(row: RunRow): void;
  /** Like `update`, after an append that changed no facts. It touches no index. */
  advance(row: RunRow): void;
}

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
    `INSERT INTO runs (${runColumns.join(", ")}, crc) VALUES (${runColumns.map(() => "?").join(", ")}, ?)`,
  );
  const updating = (names: readonly string[]) =>
    database.prepare(`UPDATE runs SET ${names.map((column) => `${column} = ?`).join(", ")}, crc = ? WHERE run = ?`);
  const update = updating(changingColumns);
  const advance = updating(placeColumns);
  const insertRow = (row: NewRow): number =>
    Number(insert.run(...runColumns.map((column) => row[column]), runCrc(row)).lastInsertRowid);
  return {
    // If the index is damaged, a scan of the table still finds the run.
    find: (run_id) => byId(run_id) ?? unindexed(run_id),
    get: selecting("runs WHERE run"),
    insert: insertRow,
    create(run) {
      const row = { ...newRow(run), ...run };
      return { ...row, run: insertRow(row) };
    },
    update(row) {
      update.run(...changingColumns.map((column) => row[column]), runCrc(row), row.run);
    },
    advance(row) {
      advance.run(...placeColumns.map((column) => row[column]), runCrc(row), row.run);
    },
  };
}

const EVERY_COLUMN = ["run", ...runColumns, "crc"].join(", ");

/** Makes a row from an array of the values of `EVERY_COLUMN`. An array is cheaper to fetch than an object. */
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
