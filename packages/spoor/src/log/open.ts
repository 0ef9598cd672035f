import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LogError } from "./errors.ts";
import type { Log } from "./log.ts";
import { openSqliteLog, type SqliteLogOptions } from "./sqlite/log.ts";
import { DEFAULT_LOCK_WAIT_MS, TELL_AFTER_MS } from "./sqlite/write-lock.ts";

/** Opens the log in a data directory. */
export const openLog = (options: SqliteLogOptions): Log => openSqliteLog(options);

/**
 * The same, but waits without blocking the event loop while other processes hold the log, as long as `lockWaitMs` says.
 */
export async function openLogWhenFree(options: SqliteLogOptions): Promise<Log> {
  const { lockWaitMs = DEFAULT_LOCK_WAIT_MS, onLockWait, signal } = options;
  const start = performance.now();
  let isTold = false;
  for (;;) {
    try {
      return openLog({ ...options, openWaitMs: OPEN_WAIT_MS });
    } catch (error) {
      const waited = performance.now() - start;
      const isHeld = error instanceof LogError && error.code === "busy";
      if (!isHeld || waited > lockWaitMs || signal?.aborted) throw error;
      if (!isTold && waited > TELL_AFTER_MS) onLockWait?.();
      isTold ||= waited > TELL_AFTER_MS;
      await sleep(PAUSE_MS * (0.5 + Math.random()), undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  }
}

/** The same for whoever only reads: a log on a disk that cannot be written to is opened by way of a copy. */
export async function openLogToRead(options: SqliteLogOptions): Promise<Log> {
  try {
    return await openLogWhenFree(options);
  } catch (error) {
    if (!(error instanceof LogError && error.code === "no_access")) throw error;
    const { openReadOnly } = await import("./sqlite/read-only.ts");
    try {
      return openReadOnly(options);
    } catch {
      throw error;
    }
  }
}

const OPEN_WAIT_MS = 50;
const PAUSE_MS = 50;

/** Where the log is when nobody says: `SPOOR_HOME`, else `.spoor` in the home directory. */
export const dataDirectory = (env: NodeJS.ProcessEnv = process.env): string =>
  env.SPOOR_HOME || join(homedir(), ".spoor");
