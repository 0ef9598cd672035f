import { createChunkReader } from "../../chunks/checked-reader.ts";
import { createEventTypes, type TypeTable } from "../../chunks/event-types.ts";
import type { DatabaseSync } from "../driver.ts";
import { createChunkRows } from "./chunk-rows.ts";
import { createEffectRows } from "./effect-rows.ts";
import { createKeyRows } from "./key-rows.ts";
import { createRunRows } from "./run-rows.ts";

/** The tables of the database, each with the statements that are used on it. */
export type Tables = ReturnType<typeof createTables>;

export function createTables(database: DatabaseSync) {
  return {
    runs: createRunRows(database),
    chunks: createChunkRows(database),
    /** Compares a row with its checksum; undefined if they differ. */
    chunkOf: createChunkReader(),
    types: createEventTypes(createTypeTable(database)),
    tasks: createTaskRows(database),
    keys: createKeyRows(database),
    /** The tables of `log/tables.ts`. */
    rows: createEffectRows(database),
    losses: createLossRows(database),
  };
}

function createTypeTable(database: DatabaseSync): TypeTable {
  const find = database.prepare("SELECT code FROM event_types WHERE name = ?");
  const add = database.prepare("INSERT INTO event_types (name) VALUES (?)");
  const list = database.prepare("SELECT code, name FROM event_types WHERE code > ? ORDER BY code");
  return {
    find: (name) => find.get(name)?.code as number | undefined,
    add: (name) => Number(add.run(name).lastInsertRowid),
    listAfter: (code) => list.all(code) as unknown as { code: number; name: string }[],
  };
}

function createTaskRows(database: DatabaseSync) {
  const add = database.prepare("INSERT OR IGNORE INTO tasks (task_id, created_at) VALUES (?, ?)");
  return {
    ensure(task_id: string, created_at: number): void {
      add.run(task_id, created_at);
    },
  };
}

/** Ranges of positions whose events were lost together with every trace of the runs they belonged to. */
function createLossRows(database: DatabaseSync) {
  const add = database.prepare("INSERT OR IGNORE INTO losses (first_position, last_position) VALUES (?, ?)");
  const list = database.prepare("SELECT first_position, last_position FROM losses ORDER BY first_position");
  return {
    add(first: number, last: number): void {
      add.run(first, last);
    },
    list: () => list.all() as unknown as { first_position: number; last_position: number }[],
  };
}
