import type { DatabaseSync } from "./driver.ts";
import { failureOf } from "./failure.ts";
import type { WriteLock } from "./write-lock.ts";

export type Transaction = <T>(work: () => T) => T;
/** `done` runs right after the commit, before any other code. */
export type WriteTransaction = <T>(work: () => T, done?: (result: T) => void) => Promise<T>;

/**
 * Runs work as one transaction once the write lock is free. If the work or the commit throws, nothing of it is stored and
 * `onRollback` is called.
 */
export function createTransaction(
  database: DatabaseSync,
  lock: WriteLock,
  onRollback: () => void = () => {},
): WriteTransaction {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  return (work, done) =>
    lock(
      () => begin.run(),
      () => {
        const result = committed(database, work, commit, onRollback);
        done?.(result);
        return result;
      },
    );
}

/** Runs work as one transaction at once. While another process holds the lock, it blocks the event loop. */
export function createImmediateTransaction(database: DatabaseSync): Transaction {
  const commit = database.prepare("COMMIT");
  return (work) => {
    database.exec("BEGIN IMMEDIATE");
    return committed(database, work, commit, () => {});
  };
}

function committed<T>(database: DatabaseSync, work: () => T, commit: { run(): unknown }, onRollback: () => void): T {
  try {
    const result = work();
    commit.run();
    return result;
  } catch (error) {
    // SQLite rolls back some transactions itself, for example when the disk is full.
    if (database.isTransaction) database.exec("ROLLBACK");
    onRollback();
    throw failureOf(error);
  }
}

/**
 * Runs work on one snapshot of the log, however many statements it uses: it does not see what other processes
 * commit, merge or prune meanwhile. The work must be synchronous.
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

/** Runs work inside the transaction that is open. If it throws, only its own changes are undone. */
export function createSavepoint(database: DatabaseSync): Transaction {
  const begin = database.prepare("SAVEPOINT part");
  const release = database.prepare("RELEASE part");
  const undo = database.prepare("ROLLBACK TO part");
  return (work) => {
    begin.run();
    try {
      return work();
    } catch (error) {
      // SQLite rolls back the whole transaction itself after some errors, for example when the disk is full.
      if (database.isTransaction) undo.run();
      throw error;
    } finally {
      if (database.isTransaction) release.run();
    }
  };
}
