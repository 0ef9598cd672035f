import { Worker } from "node:worker_threads";
import { ToolProblem } from "./define-tool.ts";

/** Work that can take any time, because of what a model or a file gives to it: patterns of searches, and pages. */
export type ThreadJob =
  | ({ kind: "search" } & import("../search/search-files.ts").Search)
  | { kind: "markdown"; html: string; url: string };

export interface ThreadOptions<Message> {
  timeoutMs: number;
  signal: AbortSignal;
  /** Return false to stop. */
  onMessage(message: Message): boolean;
}

/**
 * Does work in a thread of its own, which is ended when the time is over, so that no pattern and no page can hold up Spoor.
 * Files that it has open are closed with it.
 */
export function runInThread<Message>(
  job: ThreadJob,
  { timeoutMs, signal, onMessage }: ThreadOptions<Message>,
): Promise<"done" | "stopped" | "timed_out"> {
  const file = import.meta.url.endsWith(".ts")
    ? "../tool-thread.ts"
    : isBundled
      ? "./tool-thread.js"
      : "../tool-thread.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: job,
    // It needs no variables of Spoor, least of all its keys.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<"done" | "stopped" | "timed_out">();
  const timer = setTimeout(() => resolve("timed_out"), timeoutMs);
  const onAbort = () => reject(new ToolProblem("The call was cancelled.", "cancelled"));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  let hasEnough = false;
  worker.on("message", (message: Message) => {
    // Messages that were already on their way still arrive.
    if (hasEnough || onMessage(message)) return;
    hasEnough = true;
    resolve("stopped");
  });
  worker.on("error", (error: NodeJS.ErrnoException) => {
    const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY" || error instanceof RangeError;
    reject(isFull ? new ToolProblem("It needs too much memory.") : error);
  });
  worker.on("exit", () => resolve("done"));
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  });
}

/** The published command has all its files in one folder. */
const isBundled = !import.meta.url.includes("/loop/tools/kit/");
