import { createEventTypes } from "../../chunks/event-types.ts";
import { createChunkReader } from "../../chunks/verified.ts";
import type { DatabaseSync } from "../driver.ts";
import { createChunkRows } from "./chunk-rows.ts";
import { createKeyRows } from "./key-rows.ts";
import { createRunRows } from "./run-rows.ts";

/** The tables, each with the statements that are used on it. */
export type Store = ReturnType<typeof createStore>;

export function createStore(database: DatabaseSync) {
  return {
    runs: createRunRows(database),
    chunks: createChunkRows(database),
    chunkOf: createChunkReader(),
    types: createEventTypes(database),
    tasks: createTaskRows(database),
    keys: createKeyRows(database),
    losses: createLossRows(database),
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

/** Positions that were lost with runs that nobody knows any more. */
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
