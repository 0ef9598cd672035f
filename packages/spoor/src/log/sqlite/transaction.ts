import type { DatabaseSync } from "./driver.ts";
import { failureOf } from "./failure.ts";
import type { WriteLock } from "./write-lock.ts";

export type Transaction = <T>(work: () => T) => T;
/** `done` runs right after the commit, before anything else can. */
export type WriteTransaction = <T>(work: () => T, done?: (result: T) => void) => Promise<T>;

/** Runs work as one transaction once the write lock is free: all of it is there afterwards, or nothing, and then it throws. */
export function createTransaction(database: DatabaseSync, lock: WriteLock): WriteTransaction {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  return (work, done) =>
    lock(
      () => begin.run(),
      () => {
        const result = committed(database, work, commit);
        done?.(result);
        return result;
      },
    );
}

/** The same at once: waits for the lock, as long as the connection does, without letting anything else run. */
export function createImmediateTransaction(database: DatabaseSync): Transaction {
  const commit = database.prepare("COMMIT");
  return (work) => {
    database.exec("BEGIN IMMEDIATE");
    return committed(database, work, commit);
  };
}

function committed<T>(database: DatabaseSync, work: () => T, commit: { run(): unknown }): T {
  try {
    const result = work();
    commit.run();
    return result;
  } catch (error) {
    // SQLite ends some transactions itself, when the disk is full for instance.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw failureOf(error);
  }
}

/**
 * Lets work read the log as it stands at one moment, however many statements it takes: what other processes commit, join
 * or prune meanwhile is for the next look. The work must not wait for anything.
 */
export function createSnapshot(database: DatabaseSync): Transaction {
  const begin = database.prepare("BEGIN");
  const end = database.prepare("COMMIT");
  return (work) => {
    begin.run();
    try {
      return work();
    } finally {
      if (database.isTransaction) end.run();
    }
  };
}
