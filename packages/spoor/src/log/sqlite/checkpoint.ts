import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { DatabaseSync } from "./driver.ts";

/** A checkpoint begins once the write-ahead log has grown by this much. */
const START_BYTES = 16 * 1024 * 1024;
/** How much is written between two checks of the file's size, which other processes increase as well. */
const CHECK_BYTES = 1024 * 1024;
/** Beyond this the commits make checkpoints themselves, so that a slow disk does not fill up. */
const LIMIT_BYTES = 256 * 1024 * 1024;
/** Bytes that a commit writes in addition to its events: parts of pages, the run's row, indexes. */
const COMMIT_BYTES = 24 * 1024;

/**
 * Keeps the write-ahead log small. A worker thread with a connection of its own moves it into the database's file while
 * commits continue. It pauses commits only for the last few frames, after which the write-ahead log starts again at its
 * beginning.
 */
export function createCheckpointer(database: DatabaseSync, path: string) {
  let worker: Worker | undefined;
  let isRunning = false;
  /** Bytes that this process has written since the last checkpoint. */
  let written = 0;
  /** The file's size is checked again once this much is written. */
  let nextCheck = 0;
  /** The file's size after the last checkpoint: the file is overwritten from its beginning and does not shrink. */
  let sizeBefore = 0;
  let paused: PromiseWithResolvers<void> | undefined;

  function start(): Worker {
    const file = import.meta.url.endsWith(".ts") ? "./checkpoint-worker.ts" : "./checkpoint-worker.js";
    const started = new Worker(new URL(file, import.meta.url), { workerData: path });
    started.on("message", (message: "nearly" | "done") => {
      if (message === "done") return finished();
      paused = Promise.withResolvers();
      // Keeps the process alive for the paused commits until the thread has answered.
      started.ref();
      started.postMessage("finish");
    });
    // Commits continue without a worker up to LIMIT_BYTES, and then another worker is started.
    started.on("error", () => {
      worker = undefined;
      resume();
    });
    started.unref();
    return started;
  }

  function hasGrown(): boolean {
    if (written < nextCheck) return false;
    nextCheck = written + CHECK_BYTES;
    return sizeOf(`${path}-wal`) > sizeBefore + START_BYTES;
  }

  function finished(): void {
    isRunning = false;
    written = 0;
    nextCheck = 0;
    sizeBefore = sizeOf(`${path}-wal`);
    resume();
  }

  function resume(): void {
    worker?.unref();
    paused?.resolve();
    paused = undefined;
  }

  return {
    /** A promise to wait for before the next commit, if commits are paused. */
    get paused(): Promise<void> | undefined {
      return paused?.promise;
    },
    /** Call it after every commit, with the bytes of its events. */
    committed(bytes: number): void {
      written += bytes + COMMIT_BYTES;
      if (isRunning) {
        if (written < LIMIT_BYTES) return;
        database.exec("PRAGMA wal_checkpoint(PASSIVE)");
        written = 0;
        isRunning = worker !== undefined;
      } else if (written > START_BYTES || hasGrown()) {
        isRunning = true;
        worker ??= start();
        worker.postMessage("begin");
      }
    },
    async close(): Promise<void> {
      const ending = worker;
      worker = undefined;
      await ending?.terminate();
      resume();
    },
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
