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
  status: RunStatus;
  created_at: number;
  updated_at: number;
  epoch: number;
  last_sequence: number;
  last_position: number;
  last_event_id: string;
  head: string;
  facts: string;
  crc: number;
}

export interface RunRows {
  find(run_id: string): RunRow | undefined;
  get(run: number): RunRow | undefined;
  insert(row: Omit<RunRow, "run" | "crc">): number;
  update(row: RunRow): void;
}

export function createRunRows(database: DatabaseSync): RunRows {
  const byId = database.prepare("SELECT * FROM runs WHERE run_id = ?");
  const unindexed = database.prepare("SELECT * FROM runs NOT INDEXED WHERE run_id = ?");
  const byKey = database.prepare("SELECT * FROM runs WHERE run = ?");
  const insert = database.prepare(
    `INSERT INTO runs (run_id, task_id, session_id, agent, kind, status, created_at, updated_at, epoch,
       last_sequence, last_position, last_event_id, head, facts, crc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE runs SET status = ?, updated_at = ?, epoch = ?, last_sequence = ?, last_position = ?, last_event_id = ?,
       head = ?, facts = ?, crc = ? WHERE run = ?`,
  );
  return {
    // A damaged index must not make a run vanish.
    find: (run_id) => (byId.get(run_id) ?? unindexed.get(run_id)) as RunRow | undefined,
    get: (run) => byKey.get(run) as RunRow | undefined,
    insert(row) {
      const { run_id, task_id, session_id, agent, kind, status, created_at, updated_at } = row;
      const { epoch, last_sequence, last_position, last_event_id, head, facts } = row;
      const place = [epoch, last_sequence, last_position, last_event_id, head, facts, crcOf(row)];
      return Number(
        insert.run(run_id, task_id, session_id, agent, kind, status, created_at, updated_at, ...place).lastInsertRowid,
      );
    },
    update(row) {
      const { run, status, updated_at, epoch, last_sequence, last_position, last_event_id, head, facts } = row;
      update.run(status, updated_at, epoch, last_sequence, last_position, last_event_id, head, facts, crcOf(row), run);
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
    ...(!isIntact(row) && { damaged: true }),
  };
}

export function withFacts(row: RunRow, facts: RunFacts): RunRow {
  const { status = row.status, ...rest } = facts;
  return { ...row, status, facts: JSON.stringify({ ...factsOf(row), ...rest }) };
}

function factsOf({ facts }: RunRow): RunFacts {
  try {
    return JSON.parse(facts);
  } catch {
    return {};
  }
}

function crcOf(row: Omit<RunRow, "run" | "crc">): number {
  const { run_id, task_id, session_id, agent, kind, status, created_at, updated_at } = row;
  const { epoch, last_sequence, last_position, last_event_id, head, facts } = row;
  const names = `${run_id} ${task_id} ${session_id} ${agent} ${kind} ${status} ${created_at} ${updated_at}`;
  return crc32(`${names} ${epoch} ${last_sequence} ${last_position} ${last_event_id} ${head} ${facts}`);
}
