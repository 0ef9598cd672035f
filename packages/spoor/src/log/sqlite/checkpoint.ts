import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { DatabaseSync } from "./driver.ts";

/** A log that waits for its checkpoint is moved into the database's file from this size on. */
const START_BYTES = 4 * 1024 * 1024;
/** Beyond this the commits themselves wait for it: a disk that falls behind must not fill up. */
const LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Keeps the write-ahead log small without a commit ever waiting for it: a thread with a connection of its own moves it
 * into the database's file; what came in meanwhile is little, and is moved here, so that the log can begin anew.
 */
export function createCheckpointer(database: DatabaseSync, path: string) {
  let worker: Worker | undefined;
  let isRunning = false;
  let nextLook = 0;
  let commits = 0;

  function start(): Worker {
    const file = import.meta.url.endsWith(".ts") ? "./checkpoint-worker.ts" : "./checkpoint-worker.js";
    const started = new Worker(new URL(file, import.meta.url), { workerData: path });
    started.on("message", finish);
    // Without it commits go on; the limit above still holds.
    started.on("error", () => {
      worker = undefined;
      isRunning = false;
    });
    started.unref();
    return started;
  }

  function finish(): void {
    isRunning = false;
    if (database.isOpen && !database.isTransaction) checkpoint(database);
  }

  return {
    /** After every commit. */
    committed(): void {
      commits += 1;
      if (isRunning && commits < nextLook) return;
      const size = sizeOf(`${path}-wal`);
      nextLook = commits + 16;
      if (isRunning) {
        if (size > LIMIT_BYTES) checkpoint(database);
      } else if (size > START_BYTES) {
        isRunning = true;
        worker ??= start();
        worker.postMessage("checkpoint");
      }
    },
    async close(): Promise<void> {
      const ending = worker;
      worker = undefined;
      await ending?.terminate();
    },
  };
}

function checkpoint(database: DatabaseSync): void {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
