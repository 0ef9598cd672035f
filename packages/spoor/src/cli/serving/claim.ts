import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeDirectory } from "../../log/make-directory.ts";
import { type DatabaseSync, openFile } from "../../log/sqlite/driver.ts";
import { refuseUnsafe } from "../../log/sqlite/safe-directory.ts";

/** What a running server says of itself in its data directory, for `spoor login` and for a second `spoor serve`. */
export interface ServerNote {
  pid: number;
  url: string;
  /** The file that holds the token. */
  token_file: string;
}

/** The right to be the one server of a data directory. The system takes it back when the process ends, however it ends. */
export interface Claim {
  /** Says where the server is. Nothing is said before: what an earlier server left is removed. */
  announce(note: ServerNote): void;
  /** The server is stopping: nobody is to be sent to it any more. */
  withdraw(): void;
  release(): void;
}

/** Claims a data directory; undefined when another process has it. */
export function claimDirectory(directory: string): Claim | undefined {
  const lock = openLock(directory);
  // Where no lock can be had, such as on read-only media, the server starts all the same and says nothing.
  if (lock === undefined) return { announce() {}, withdraw() {}, release() {} };
  if (isHeld(lock)) {
    lock.close();
    return undefined;
  }
  const file = noteFile(directory);
  rmSync(file, { force: true });
  return {
    announce(note) {
      const fresh = `${file}.${process.pid}`;
      writeFileSync(fresh, `${JSON.stringify(note)}\n`, { mode: 0o600 });
      renameSync(fresh, file);
    },
    withdraw: () => rmSync(file, { force: true }),
    release: () => lock.close(),
  };
}

/** Whether a server has the data directory. One that is just starting has, and has said nothing yet. */
export function findServer(directory: string): { note: ServerNote | undefined } | undefined {
  const lock = openLock(directory, true);
  if (!lock) return undefined;
  const isRunning = isHeld(lock);
  lock.close();
  return isRunning ? { note: readNote(noteFile(directory)) } : undefined;
}

/**
 * An empty SQLite database, of which nothing is used but its lock: SQLite knows how to lock on every system, and a lock
 * is never left behind by a process that was killed.
 */
function openLock(directory: string, mustExist = false): DatabaseSync | undefined {
  const file = path.join(directory, "server.lock");
  try {
    if (mustExist) readFileSync(file);
    else makeDirectory(directory, 0o700);
    // Nothing is locked or changed through a link, or where others may put one. Opening the log says so.
    refuseUnsafe(directory);
    const lock = openFile(file, { timeout: 0 });
    if (!mustExist) chmodSync(file, 0o600);
    return lock;
  } catch {
    return undefined;
  }
}

/** Takes the lock, unless another process holds it. A file that cannot be locked is held by nobody. */
function isHeld(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return false;
  } catch (error) {
    return (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
  }
}

const SQLITE_BUSY = 5;

const noteFile = (directory: string): string => path.join(directory, "server.json");

function readNote(file: string): ServerNote | undefined {
  try {
    const { pid, url, token_file } = JSON.parse(readFileSync(file, "utf8")) as Partial<ServerNote>;
    if (pid === undefined || url === undefined || token_file === undefined) return undefined;
    return { pid, url, token_file };
  } catch {
    return undefined;
  }
}
