import { setTimeout as sleep } from "node:timers/promises";
import { LogError } from "../errors.ts";
import type { DatabaseSync } from "./driver.ts";
import { failureOf } from "./failure.ts";

export interface LockOptions {
  /** How long to wait for the write lock while other processes hold it, in milliseconds. Five minutes when absent. */
  lockWaitMs?: number;
  /** Called once for each wait that takes longer than two seconds. */
  onLockWait?: () => void;
  /** Aborts every wait for the lock. */
  signal?: AbortSignal;
}

export type WriteLock = <T>(begin: () => void, work: () => T) => Promise<T>;

/**
 * Waits for SQLite's write lock without blocking the event loop. `begin` takes the lock, or throws because another process
 * holds it; `work` follows at once. Within the process the order is first come, first served. Among processes SQLite has
 * no queue: a process that has waited longer tries more often, so that none starves.
 */
export function createWriteLock(database: DatabaseSync, readWaitMs: number, options: LockOptions = {}): WriteLock {
  const { lockWaitMs = DEFAULT_LOCK_WAIT_MS, onLockWait, signal } = options;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function take<T>(begin: () => void, work: () => T): Promise<T> {
    if (!database.isOpen) throw new LogError("closed", "The log was closed.");
    if (waiting === 0 && isFree(begin)) return work();
    waiting += 1;
    const turn = last.then(() => retry(begin, work));
    last = turn.catch(() => {});
    return turn.finally(() => {
      waiting -= 1;
    });
  }

  async function retry<T>(begin: () => void, work: () => T): Promise<T> {
    const start = performance.now();
    let hasReported = false;
    for (let tries = 0; ; tries++) {
      if (isFree(begin)) return work();
      const waited = performance.now() - start;
      if (waited > lockWaitMs || signal?.aborted) throw heldTooLong(waited);
      if (!hasReported && waited > REPORT_AFTER_MS) onLockWait?.();
      hasReported ||= waited > REPORT_AFTER_MS;
      await sleep(pauseMs(tries, waited), undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  }

  function isFree(begin: () => void): boolean {
    // SQLite executes this pragma when it compiles the statement, so a prepared statement would have no effect.
    database.exec("PRAGMA busy_timeout = 0");
    try {
      begin();
      return true;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code !== "busy") throw failure;
      return false;
    } finally {
      database.exec(`PRAGMA busy_timeout = ${readWaitMs}`);
    }
  }

  return take;
}

export const DEFAULT_LOCK_WAIT_MS = 300_000;
export const REPORT_AFTER_MS = 2_000;

/** Short at first, because most commits are short; then up to 50 ms, and down to 5 ms within half a minute. */
function pauseMs(tries: number, waited: number): number {
  const longest = Math.max(5, 50 - waited / 650);
  return Math.min(2 ** tries, longest) * (0.5 + Math.random());
}

const heldTooLong = (waited: number): LogError =>
  new LogError("busy", `Another process held the log's write lock for ${(waited / 1000).toFixed(1)} seconds.`);
