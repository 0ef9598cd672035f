import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { makeDirectory } from "../make-directory.ts";
import { type DatabaseSync, openFile } from "./driver.ts";
import { refuseUnsafe } from "./safe-directory.ts";

/** A lock that this process holds. The system releases it when the process ends, however it ends. */
export interface FileLock {
  release(): void;
}

/** Takes a lock in a data directory. Returns "held" if another process has it, undefined where nothing can be locked. */
export function takeLock(file: string): FileLock | "held" | undefined {
  const lock = openLock(file);
  if (lock === undefined) return undefined;
  if (tryLock(lock)) return { release: () => lock.close() };
  lock.close();
  return "held";
}

/** Whether a process holds the lock. */
export function isLocked(file: string): boolean {
  const lock = openLock(file, true);
  if (!lock) return false;
  const isFree = tryLock(lock);
  lock.close();
  return !isFree;
}

/**
 * Opens an empty SQLite database that is used only for its lock: SQLite can lock files on every system, and a process
 * that is killed leaves no lock behind.
 */
function openLock(file: string, mustExist = false): DatabaseSync | undefined {
  const directory = path.dirname(file);
  try {
    if (mustExist) readFileSync(file);
    else makeDirectory(directory, 0o700);
    // No lock is taken through a symbolic link or in a directory that others may write to; opening the log reports it.
    refuseUnsafe(directory);
    const lock = openFile(file, { timeout: 0 });
    if (!mustExist) chmodSync(file, 0o600);
    return lock;
  } catch {
    return undefined;
  }
}

/** Takes the lock. Returns false if another process holds it. A file that cannot be locked counts as free. */
function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    return (error as { errcode?: unknown }).errcode !== SQLITE_BUSY;
  }
}

const SQLITE_BUSY = 5;
