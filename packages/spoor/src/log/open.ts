import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LogError } from "./errors.ts";
import type { Log } from "./log.ts";
import { logFile } from "./sqlite/connection.ts";
import { openSqliteLog, type SqliteLogOptions } from "./sqlite/log.ts";
import { DEFAULT_LOCK_WAIT_MS, REPORT_AFTER_MS } from "./sqlite/write-lock.ts";

/** Which log to open, and how. */
export interface OpenLogOptions {
  /** The data directory, which is created if it does not exist. Default: `dataDirectory()`. */
  directory?: string;
  /** What an acknowledged append survives: the end of the process (`process`, the default), or a power failure too (`full`). */
  durability?: "process" | "full";
  /** How long to wait for other processes that hold the write lock, in milliseconds. Default: five minutes. */
  lockWaitMs?: number;
  /** Called once for each wait that takes longer than two seconds. */
  onLockWait?: () => void;
  /** Aborting ends the waiting for the write lock. */
  signal?: AbortSignal;
  /** How many bytes of the newest events are kept in memory for readers. Default: 8 MiB. */
  recentBytes?: number;
  /** How often to look for events of other processes while somebody watches the log, in milliseconds. Default: 20. */
  pollMs?: number;
}

/**
 * Opens the log in a data directory and creates it if there is none. Several processes may have the same log open. While
 * another process holds the write lock, this waits (`lockWaitMs`) without blocking the event loop.
 *
 * @throws {LogError} if the log cannot be opened; `hint` says what to do about it.
 * @example
 * const log = await openLog({ directory: "./runs" });
 * for (const { run_id, agent, status } of (await log.runs()).runs) console.log(run_id, agent, status);
 * await log.close();
 */
export async function openLog(options: OpenLogOptions = {}): Promise<Log> {
  const { directory = dataDirectory(), lockWaitMs = DEFAULT_LOCK_WAIT_MS, onLockWait, signal } = options;
  const start = performance.now();
  let hasReported = false;
  for (;;) {
    try {
      return openLogSync({ ...options, directory, openWaitMs: OPEN_WAIT_MS });
    } catch (error) {
      const waited = performance.now() - start;
      const isLocked = error instanceof LogError && error.code === "busy";
      if (!isLocked || waited > lockWaitMs || signal?.aborted) throw error;
      if (!hasReported && waited > REPORT_AFTER_MS) onLockWait?.();
      hasReported ||= waited > REPORT_AFTER_MS;
      await sleep(PAUSE_MS * (0.5 + Math.random()), undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  }
}

/**
 * Opens a log for reading. Unlike `openLog`, it also opens a log on a read-only disk: it reads a copy of the file.
 *
 * @example
 * const log = await openLogToRead({ directory: "/mnt/backup/spoor" });
 */
export async function openLogToRead(options: OpenLogOptions = {}): Promise<Log> {
  try {
    return await openLog(options);
  } catch (error) {
    if (!(error instanceof LogError && error.code === "no_access")) throw error;
    const { openReadOnly } = await import("./sqlite/read-only.ts");
    try {
      return openReadOnly({ directory: dataDirectory(), ...options });
    } catch {
      throw error;
    }
  }
}

/**
 * Whether a data directory holds a log. `openLog` creates a missing log; a program that only reads may want to know
 * first. A directory that may not be read counts as holding one, so that opening it reports the reason.
 *
 * @example
 * if (logExists("./runs")) console.log((await (await openLogToRead({ directory: "./runs" })).runs()).runs);
 */
export function logExists(directory: string = dataDirectory()): boolean {
  refuseDatabaseUrl(directory);
  try {
    statSync(logFile(directory));
    return true;
  } catch (error) {
    return !["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** Opens a log at once. While another process opens or locks the log, this blocks the event loop for up to `openWaitMs`. */
export function openLogSync(options: SqliteLogOptions): Log {
  const { directory } = options;
  // Without a name, the log would be created in the current directory.
  if (typeof directory !== "string" || directory === "") {
    throw new LogError("no_access", `The data directory must be a path, not ${JSON.stringify(directory)}.`);
  }
  refuseDatabaseUrl(directory);
  return openSqliteLog(options);
}

/** SQLite is the only store so far. Without this check, a database URL would be taken for the name of a directory. */
export function refuseDatabaseUrl(directory: string): void {
  if (!POSTGRES_URL.test(directory)) return;
  throw new LogError(
    "unsupported_store",
    "The data directory is the URL of a PostgreSQL database, but this version of Spoor stores its log only in SQLite.",
  );
}

/** With one slash where the URL was resolved like a path. */
const POSTGRES_URL = /(^|[\\/])postgres(ql)?:\/\/?/i;

const OPEN_WAIT_MS = 50;
const PAUSE_MS = 50;

/**
 * The data directory when none is given: the environment variable `SPOOR_HOME`, else `.spoor` in the home directory.
 *
 * @example
 * console.log(dataDirectory()); // for example /home/ann/.spoor
 */
export const dataDirectory = (env: NodeJS.ProcessEnv = process.env): string =>
  env.SPOOR_HOME || join(homedir(), ".spoor");
