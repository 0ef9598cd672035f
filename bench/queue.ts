import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openLog } from "../packages/spoor/src/log/open.ts";
import { isOver } from "../packages/spoor/src/log/records.ts";
import { createExecutors } from "../packages/spoor/src/runtime/queue/executors.ts";
import { Worker } from "../packages/spoor/src/runtime/queue/worker.ts";
import { createAndStart, type TaskContext } from "../packages/spoor/src/runtime/tasks/index.ts";

interface QueueCosts {
  /** A queued command until it has started, against a bare spawn; and the milliseconds of both. */
  start: { ratio: number; queuedMs: number; bareMs: number };
  /** Runs at the same time, against as many bare spawns; runs per second and memory that they added. */
  many: { ratio: number; perSecond: number; addedMb: number };
}

/** Measures runs of the kind `shell` through the queue, from the commit that makes them, with everything recorded. */
export async function queueCosts(rounds: number, runs: number): Promise<QueueCosts> {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-bench-queue-"));
  const log = await openLog({ directory });
  const { inline } = createExecutors(directory);
  const worker = new Worker({ log, directory, executors: { inline, launched: new Map() }, concurrency: CONCURRENCY });
  const context: TaskContext = { log, directory, canExecute: () => true, by: "bench" };
  const queue = async () => {
    const workspace = { path: directory, share: true };
    const { run_id } = await createAndStart(context, { kind: "shell", command: "true", workspace });
    return run_id;
  };
  const reached = async (run_id: string, isReached: (types: ReadonlySet<string>) => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unwatch = log.watch((piece) => {
      if (piece.run_id === run_id && isReached(new Set(piece.eventTypes))) resolve();
    });
    const run = await log.run(run_id);
    if (run && isOver(run)) resolve();
    await promise;
    unwatch();
  };
  try {
    const queued: number[] = [];
    const bare: number[] = [];
    for (let round = -2; round < rounds; round += 1) {
      const bareMs = await timed(() => bareSpawn());
      let run_id = "";
      const queuedMs = await timed(async () => {
        run_id = await queue();
        await reached(run_id, (types) => types.has("tool.shell.command"));
      });
      await reached(run_id, (types) => types.has("task.updated"));
      if (round < 0) continue;
      bare.push(bareMs);
      queued.push(queuedMs);
    }
    const before = process.memoryUsage().rss;
    const bareMs = await timed(() => inParallel(runs, bareSpawn));
    const manyMs = await timed(async () => {
      const ids = await Promise.all(Array.from({ length: runs }, queue));
      await Promise.all(ids.map((run_id) => reached(run_id, (types) => types.has("task.updated"))));
    });
    const addedMb = Math.max(0, process.memoryUsage().rss - before) / 1024 ** 2;
    return {
      start: { ratio: median(queued) / median(bare), queuedMs: median(queued), bareMs: median(bare) },
      many: { ratio: manyMs / bareMs, perSecond: (runs / manyMs) * 1_000, addedMb },
    };
  } finally {
    await worker.close();
    await log.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const CONCURRENCY = 16;

async function bareSpawn(): Promise<void> {
  await once(spawn("sh", ["-c", "true"], { stdio: "ignore", detached: true }), "exit");
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
