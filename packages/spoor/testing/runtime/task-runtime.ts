import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { isOver, type StoredRun } from "../../src/log/records.ts";
import { createCommandExecutor } from "../../src/runtime/queue/command-executor.ts";
import type { Executor } from "../../src/runtime/queue/executor.ts";
import { Worker } from "../../src/runtime/queue/worker.ts";
import type { TaskContext } from "../../src/runtime/tasks/context.ts";
import { temporaryLog } from "./temporary-log.ts";

/** A log, a workspace and what tasks need, without a worker. */
export function taskRuntime(executors: ReadonlyMap<string, Executor> = defaultExecutors()) {
  const { log, directory } = temporaryLog();
  const workspace = temporaryFolder();
  const context: TaskContext = { log, directory, canExecute: (kind) => executors.has(kind), by: "a test" };
  const startWorker = (concurrency = 4): Worker => {
    const inline = executors;
    const onFault = (error: unknown) => console.error(error);
    const worker = new Worker({ log, directory, executors: { inline, launched: new Map() }, concurrency, onFault });
    onTestFinished(() => worker.close());
    return worker;
  };
  return { log, directory, workspace, context, startWorker };
}

export const defaultExecutors = (): Map<string, Executor> =>
  new Map([
    ["shell", createCommandExecutor()],
    ["git", createCommandExecutor()],
  ]);

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-workspace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until a run has a status, or is over. */
export async function untilStatus(log: Log, run_id: string, status?: StoredRun["status"]): Promise<StoredRun> {
  for (;;) {
    const run = await log.run(run_id);
    if (run && (status === undefined ? isOver(run) : run.status === status)) return run;
    if (run && isOver(run)) throw new Error(`${run_id} is ${run.status}, not ${status}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
