import { openLog } from "../../log/open.ts";
import { loop } from "../../loop/loop-kind.ts";
import { executeOne } from "../../runtime/queue/execute-one.ts";
import { executableKinds } from "../../runtime/queue/executors.ts";

export interface ExecuteOptions {
  data?: string;
  kinds?: string;
  run?: string;
  launcher?: string;
}

/** Takes one run from the queue and performs it, without a terminal. */
export async function execute({ data, kinds, run, launcher }: ExecuteOptions): Promise<void> {
  const log = await openLog({ ...(data !== undefined && { directory: data }) });
  const stopping = new AbortController();
  const stop = () => stopping.abort("shutdown");
  // Not `once`: while a listener is registered, children are not killed at the first signal.
  for (const signal of signals) process.on(signal, stop);
  try {
    const { dataDirectory } = await import("../../log/open.ts");
    await executeOne({
      log,
      directory: data ?? dataDirectory(),
      kinds: kinds?.split(",").filter((kind) => known.includes(kind)) ?? known,
      offered: [loop],
      run_id: run,
      launcher_id: launcher,
      stopping: stopping.signal,
    });
  } finally {
    for (const signal of signals) process.off(signal, stop);
    await log.close();
  }
}

/** Every kind that a process of its own can perform. */
const known: readonly string[] = [...executableKinds, loop.kind];

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
