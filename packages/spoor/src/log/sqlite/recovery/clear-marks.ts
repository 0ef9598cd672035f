import { type DatabaseSync, openFile } from "../driver.ts";
import { clearMarks } from "./marks.ts";

/**
 * Moves the whole write-ahead log into the database's file and then clears the marks, which only describe that log. A
 * second connection holds the write lock meanwhile, so that nobody commits in between. The marks stay if another process
 * holds the lock, or if a reader prevents a complete checkpoint.
 */
export function checkpointAndClearMarks(database: DatabaseSync, path: string): void {
  const lock = openFile(path, { timeout: LOCK_WAIT_MS });
  try {
    const isLocked = begin(lock);
    const { log, checkpointed } = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() ?? {};
    if (!isLocked || log !== checkpointed) return;
    const last = lock.prepare("SELECT max(last_position) AS position FROM chunks").get()?.position as number | null;
    clearMarks(path, last ?? -1);
  } catch {
    // The disk is full or failing. The next commit reports it, and the next checkpoint clears the marks.
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
