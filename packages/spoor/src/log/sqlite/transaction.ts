import type { DatabaseSync } from "./driver.ts";
import { failureOf } from "./failure.ts";

export type Transaction = <T>(work: () => T) => T;

/** Runs work as one transaction: all of it is there afterwards, or nothing, and then it throws. */
export function createTransaction(database: DatabaseSync): Transaction {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  return (work) => {
    try {
      begin.run();
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite ends some transactions itself, when the disk is full for instance.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw failureOf(error);
    }
  };
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
