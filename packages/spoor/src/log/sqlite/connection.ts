import { chmodSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../make-directory.ts";
import { BUSY_TIMEOUT_MS, type DatabaseSync, openFile } from "./driver.ts";
import { failureOf, lacksSharedMemory, openingFailureOf } from "./failure.ts";
import { type Migration, migrate, refuseForeign } from "./migrate.ts";
import { refuseUnsafe } from "./safe-directory.ts";

/**
 * What an acknowledged append survives: `process` a killed process, `full` a loss of power too, at the price of a sync
 * of the disk for every commit.
 */
export type Durability = "process" | "full";

export interface ConnectOptions {
  directory: string;
  durability?: Durability;
  migrations?: readonly Migration[];
  /** How long opening waits, without letting anything else run, for others that open or hold the log. */
  openWaitMs?: number;
  /** No more than this many pages: a disk that is full, for tests. */
  maxPages?: number;
}

/**
 * Opens, and makes if need be, the log's file. Only its owner can read it. Where there is no room for the memory that
 * processes share, one of them can still have it to itself: a full disk must not keep anybody from reading.
 */
export function connect(options: ConnectOptions): DatabaseSync {
  try {
    makeDirectory(options.directory, 0o700);
    refuseUnsafe(options.directory);
    return opened(options, "NORMAL");
  } catch (error) {
    if (lacksSharedMemory(error)) return alone(options, error);
    throw openingFailureOf(error);
  }
}

function alone(options: ConnectOptions, cause: unknown): DatabaseSync {
  try {
    return opened(options, "EXCLUSIVE");
  } catch {
    throw openingFailureOf(cause);
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
    // Checkpoints are made beside the commits, see checkpoint.ts.
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

/** Whoever opens a new log first changes its mode; for that alone SQLite does not wait until others let go. */
function useWriteAheadLog(database: DatabaseSync, waitMs: number): void {
  const latest = performance.now() + waitMs;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (failureOf(error).code !== "busy" || performance.now() > latest) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
  }
}

/** Milliseconds. */
const AGAIN_MS = 5;

export const logFile = (directory: string): string => join(directory, "spoor.db");
