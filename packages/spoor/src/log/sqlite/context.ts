import { BUSY_TIMEOUT_MS, type DatabaseSync } from "./driver.ts";
import { createTables, type Tables } from "./tables/tables.ts";
import { createSnapshot, createTransaction, type Transaction, type WriteTransaction } from "./transaction.ts";
import { createWriteLock, type LockOptions, type WriteLock } from "./write-lock.ts";

/** An open database and everything that is needed to work on it. */
export interface Context {
  database: DatabaseSync;
  tables: Tables;
  lock: WriteLock;
  transaction: WriteTransaction;
  snapshot: Transaction;
  now: () => number;
}

export function createContext(database: DatabaseSync, options: LockOptions & { now?: () => number }): Context {
  const tables = createTables(database);
  const lock = createWriteLock(database, BUSY_TIMEOUT_MS, options);
  return {
    database,
    tables,
    lock,
    // A transaction that is rolled back may have added event types.
    transaction: createTransaction(database, lock, () => tables.types.forget()),
    snapshot: createSnapshot(database),
    now: options.now ?? Date.now,
  };
}
