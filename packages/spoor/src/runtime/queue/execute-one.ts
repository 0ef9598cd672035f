import { closeSync, writeSync } from "node:fs";
import type { Log } from "../../log/log.ts";
import { LEASE_MS } from "../lease-times.ts";
import { ownWorkerId } from "../worker.ts";
import { createExecutor } from "./executors.ts";
import { CLAIM_DESCRIPTOR } from "./launch-process.ts";
import { openingOf } from "./opening.ts";
import { perform } from "./perform.ts";

export interface ExecuteOptions {
  log: Log;
  directory: string;
  kinds: readonly string[];
  /** Aborts with the reason `shutdown` when this process shall stop. */
  stopping: AbortSignal;
}

/** Takes one run of these kinds from the queue and performs it. Returns its id; undefined if none waits. */
export async function executeOne({ log, directory, kinds, stopping }: ExecuteOptions): Promise<string | undefined> {
  const executors = new Map(kinds.map((kind) => [kind, createExecutor(kind)]));
  const claim = await log.queue.claim(ownWorkerId(), kinds, LEASE_MS, (run, lease) =>
    openingOf(run, lease, executors.get(run.kind)?.name ?? "process", directory),
  );
  announce(claim !== undefined);
  if (!claim) return undefined;
  const executor = executors.get(claim.run.kind);
  if (executor) await perform(executor, claim, { log, directory, stopping });
  return claim.run.run_id;
}

/** Tells the process that started this one, if it listens. */
function announce(hasClaimed: boolean): void {
  try {
    if (hasClaimed) writeSync(CLAIM_DESCRIPTOR, "claimed\n");
    closeSync(CLAIM_DESCRIPTOR);
  } catch {
    // Started by hand, or the other process is gone.
  }
}
