import { chmodSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../make-directory.ts";
import { BUSY_TIMEOUT_MS, type DatabaseSync, openFile } from "./driver.ts";
import { failureOf, lacksSharedMemory, openingFailureOf } from "./failure.ts";
import { type Migration, migrate, refuseForeign } from "./migrate.ts";
import { refuseUnsafe } from "./safe-directory.ts";

/**
 * What an acknowledged append survives: with `process` a killed process, with `full` also a loss of power, which costs a
 * sync of the disk per commit.
 */
export type Durability = "process" | "full";

export interface ConnectOptions {
  directory: string;
  durability?: Durability;
  migrations?: readonly Migration[];
  /** How long opening waits for other processes that open or hold the log. It blocks the event loop meanwhile. */
  openWaitMs?: number;
  /** Limits the file to this many pages, so that tests can simulate a full disk. */
  maxPages?: number;
}

/**
 * Opens the log's file, or creates it. Only its owner can read it. If the disk has no room for the memory that processes
 * share, one process opens it exclusively, because a full disk must not prevent reading.
 */
export function connect(options: ConnectOptions): DatabaseSync {
  try {
    makeDirectory(options.directory, 0o700);
    refuseUnsafe(options.directory);
    return opened(options, "NORMAL");
  } catch (error) {
    if (lacksSharedMemory(error)) return openedExclusively(options, error);
    throw openingFailureOf(error, logFile(options.directory));
  }
}

function openedExclusively(options: ConnectOptions, cause: unknown): DatabaseSync {
  try {
    return opened(options, "EXCLUSIVE");
  } catch {
    throw openingFailureOf(cause, logFile(options.directory));
  }
}

function opened(
  { directory, durability = "process", migrations, maxPages, openWaitMs = BUSY_TIMEOUT_MS }: ConnectOptions,
  locking: "NORMAL" | "EXCLUSIVE",
): DatabaseSync {
  const path = logFile(directory);
  const database = openFile(path, { timeout: openWaitMs });
  try {
    database.exec(`PRAGMA locking_mode = ${locking}`);
    refuseForeign(database);
    chmodSync(path, 0o600);
    useWriteAheadLog(database, openWaitMs);
    database.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    // A worker makes the checkpoints, see checkpoint.ts.
    database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864");
    database.exec("PRAGMA cache_size = -8000; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
    migrate(database, migrations);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Switching a new log to WAL mode is the one lock that SQLite does not wait for, so we wait ourselves. */
function useWriteAheadLog(database: DatabaseSync, waitMs: number): void {
  const latest = performance.now() + waitMs;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (failureOf(error).code !== "busy" || performance.now() > latest) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Milliseconds. */
const RETRY_MS = 5;

export const logFile = (directory: string): string => join(directory, "spoor.db");
