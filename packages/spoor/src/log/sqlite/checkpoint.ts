import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { DatabaseSync } from "./driver.ts";

/** Once this much was written to the write-ahead log, it is moved into the database's file. */
const START_BYTES = 16 * 1024 * 1024;
/** How much is written between two looks at the file, which other processes write to as well. */
const LOOK_BYTES = 1024 * 1024;
/** Beyond this the commits themselves move it: a disk that falls behind must not fill up. */
const LIMIT_BYTES = 256 * 1024 * 1024;
/** What a commit writes besides its events: parts of pages, of the run's row, of indexes. */
const COMMIT_BYTES = 24 * 1024;

/**
 * Keeps the write-ahead log small: a thread with a connection of its own moves it into the database's file, while
 * commits go on. Only for the little that came in meanwhile, after which the log begins anew, do they wait.
 */
export function createCheckpointer(database: DatabaseSync, path: string) {
  let worker: Worker | undefined;
  let isRunning = false;
  /** Since the last checkpoint, as far as we did it. */
  let written = 0;
  /** As soon as this much is written, the file is looked at. */
  let nextLook = 0;
  /** Size of the file then: it is written over from its beginning and does not shrink. */
  let settled = 0;
  let held: PromiseWithResolvers<void> | undefined;

  function start(): Worker {
    const file = import.meta.url.endsWith(".ts") ? "./checkpoint-worker.ts" : "./checkpoint-worker.js";
    const started = new Worker(new URL(file, import.meta.url), { workerData: path });
    started.on("message", (word: "nearly" | "done") => {
      if (word === "done") return finished();
      held = Promise.withResolvers();
      // Whoever waits must not see the process end before the thread has answered.
      started.ref();
      started.postMessage("finish");
    });
    // Without it commits go on up to the limit above, which is where another is tried.
    started.on("error", () => {
      worker = undefined;
      letGo();
    });
    started.unref();
    return started;
  }

  /** Whether the file has become so, by us and others. */
  function isLarge(): boolean {
    if (written < nextLook) return false;
    nextLook = written + LOOK_BYTES;
    return sizeOf(`${path}-wal`) > settled + START_BYTES;
  }

  function finished(): void {
    isRunning = false;
    written = 0;
    nextLook = 0;
    settled = sizeOf(`${path}-wal`);
    letGo();
  }

  function letGo(): void {
    worker?.unref();
    held?.resolve();
    held = undefined;
  }

  return {
    /** To be waited for before a commit, when there is something to wait for. */
    get held(): Promise<void> | undefined {
      return held?.promise;
    },
    /** After every commit, with the bytes of its events. */
    committed(bytes: number): void {
      written += bytes + COMMIT_BYTES;
      if (isRunning) {
        if (written < LIMIT_BYTES) return;
        database.exec("PRAGMA wal_checkpoint(PASSIVE)");
        written = 0;
        isRunning = worker !== undefined;
      } else if (written > START_BYTES || isLarge()) {
        isRunning = true;
        worker ??= start();
        worker.postMessage("begin");
      }
    },
    async close(): Promise<void> {
      const ending = worker;
      worker = undefined;
      await ending?.terminate();
      letGo();
    },
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
