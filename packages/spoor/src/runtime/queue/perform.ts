import { SpoorError } from "../../failures/errors.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import type { Claim } from "../../log/queue.ts";
import { LEASE_MS } from "../lease-times.ts";
import { specOf } from "../specification/spec-of.ts";
import type { Executor, ProcessControls } from "./executor.ts";
import { holdLease, type LeaseClock } from "./lease.ts";

export interface PerformOptions {
  log: Log;
  /** The data directory. */
  directory: string;
  /** Aborts with the reason `shutdown` when this process stops. */
  stopping: AbortSignal;
  clock?: LeaseClock;
}

/**
 * Performs a claimed run: holds its lease meanwhile, and ends the run as failed if its executor throws. Resolves when the
 * run is over, was given back, or belongs to another worker.
 */
export async function perform(executor: Executor, claim: Claim, options: PerformOptions): Promise<void> {
  const { log, directory, stopping, clock } = options;
  const { run, epoch } = claim;
  const lost = new AbortController();
  const processes = new Set<ProcessControls>();
  const lease = holdLease({
    extend: () => log.queue.extend(run.run_id, epoch, LEASE_MS),
    stop: () => each(processes, "pause"),
    resume: () => each(processes, "resume"),
    kill() {
      lost.abort("lost");
      each(processes, "kill");
    },
    ...(clock && { clock }),
  });
  try {
    const spec = await specOf(log, run);
    if (!spec) throw new Error("The specification of this run is missing.");
    await executor.execute({
      log,
      directory,
      claim,
      spec,
      signal: AbortSignal.any([lost.signal, stopping]),
      controls: (controls) => void processes.add(controls),
      mayAct: () => lease.check(),
    });
  } catch (error) {
    if (lost.signal.aborted || isFenced(error)) return;
    await fail(log, claim, error as Error);
  } finally {
    lease.end();
  }
}

async function fail(log: Log, { run, epoch }: Claim, error: Error): Promise<void> {
  const current = (await log.run(run.run_id)) ?? run;
  const code = error instanceof SpoorError ? error.code : "INTERNAL";
  const failure = { code, exitReason: "failed", message: error.message } as const;
  // Loaded only here, because it needs the whole event catalog, which would slow down the start of a server.
  const { endRun } = await import("../recovery/end-run.ts");
  await endRun(log, current, epoch, { at: Date.now(), failure }).catch((cause: unknown) => {
    if (!isFenced(cause)) throw cause;
  });
}

const isFenced = (error: unknown): boolean => error instanceof LogError && error.code === "fenced";

function each(processes: ReadonlySet<ProcessControls>, act: keyof ProcessControls): void {
  for (const controls of processes) controls[act]();
}
