import { type DatabaseSync, openFile } from "../driver.ts";
import { clearMarks } from "./marks.ts";

/**
 * Moves the whole write-ahead log into the database's file and then empties the marks, which are about that log only. A
 * second connection holds the write lock meanwhile, so that nobody commits in between. The marks stay as they are while
 * another writer holds the lock, or while a reader keeps the write-ahead log from being moved completely.
 */
export function settleMarks(database: DatabaseSync, path: string): void {
  const lock = openFile(path, { timeout: LOCK_WAIT_MS });
  try {
    const isLocked = begin(lock);
    const { log, checkpointed } = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() ?? {};
    if (!isLocked || log !== checkpointed) return;
    const last = lock.prepare("SELECT max(last_position) AS position FROM chunks").get()?.position as number | null;
    clearMarks(path, last ?? -1);
  } catch {
    // A full or failing disk: the next commit reports it, and the marks are settled another time.
  } finally {
    lock.close();
  }
}

function begin(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN IMMEDIATE");
    return true;
  } catch {
    return false;
  }
}

const LOCK_WAIT_MS = 50;
