import type { Receipt } from "../log.ts";
import { createChunkRows } from "./chunk-rows.ts";
import type { DatabaseSync } from "./driver.ts";
import { createEventTypes } from "./event-types.ts";
import { createRunRows } from "./run-rows.ts";
import { createChunkReader } from "./verified.ts";

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

function createKeyRows(database: DatabaseSync) {
  const find = database.prepare(
    "SELECT run_id, epoch, first_sequence, last_sequence, last_position FROM idempotency WHERE key = ?",
  );
  const add = database.prepare("INSERT INTO idempotency VALUES (?, ?, 0, -1, -1, -1, ?)");
  const settle = database.prepare(
    "UPDATE idempotency SET epoch = ?, first_sequence = ?, last_sequence = ?, last_position = ? WHERE key = ?",
  );
  const forget = database.prepare("DELETE FROM idempotency WHERE used_at < ?");
  return {
    forget(before: number): void {
      forget.run(before);
    },
    find: (key: string) => find.get(key) as unknown as Place | undefined,
    add(key: string, run_id: string, used_at: number): void {
      add.run(key, run_id, used_at);
    },
    settle(key: string, { epoch, first_sequence, last_sequence, last_position }: Place): void {
      settle.run(epoch, first_sequence, last_sequence, last_position, key);
    },
  };
}

type Place = Omit<Receipt, "repeated">;
