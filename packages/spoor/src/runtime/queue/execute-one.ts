import { closeSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log/log.ts";
import { HEAD_START_MS, LEASE_MS } from "../lease-times.ts";
import { ownWorkerId } from "../worker.ts";
import type { OfferedKind } from "./executor.ts";
import { createExecutor } from "./executors.ts";
import { CLAIM_DESCRIPTOR } from "./launch-process.ts";
import { openingOf } from "./opening.ts";
import { perform } from "./perform.ts";

export interface ExecuteOptions {
  log: Log;
  directory: string;
  kinds: readonly string[];
  /** Takes this run and no other. */
  run_id?: string | undefined;
  /** Kinds that the runtime does not know. */
  offered?: readonly OfferedKind[];
  /** The worker that started this process. */
  launcher_id?: string | undefined;
  /** Aborts with the reason `shutdown` when this process shall stop. */
  stopping: AbortSignal;
}

/** Takes one run of these kinds from the queue and performs it. Returns its id; undefined if none waits. */
export async function executeOne(options: ExecuteOptions): Promise<string | undefined> {
  const { log, directory, kinds, run_id, offered = [], stopping } = options;
  const executorOf = (kind: string) => offered.find((each) => each.kind === kind)?.executor ?? createExecutor(kind);
  const executors = new Map(kinds.map((kind) => [kind, executorOf(kind)]));
  const take = () =>
    log.queue.claim(
      ownWorkerId(),
      kinds,
      LEASE_MS,
      (run, lease) => openingOf(run, lease, executors.get(run.kind)?.name ?? "process", directory, options.launcher_id),
      run_id,
    );
  // A run that is named is taken at any time, so its own time is waited for first.
  const first = run_id === undefined ? await take() : undefined;
  const claim = first ?? ((await untilDue(options)) ? await take() : undefined);
  announce(claim !== undefined);
  if (!claim) return undefined;
  const executor = executors.get(claim.run.kind);
  if (executor) await perform(executor, claim, { log, directory, stopping });
  return claim.run.run_id;
}

/** Waits for a run that is left to a terminal for a moment, which may be gone. Returns whether there is one. */
async function untilDue({ log, kinds, run_id, stopping }: ExecuteOptions): Promise<boolean> {
  const where = { worker_id: null, ...(run_id !== undefined && { run_id }) };
  const { rows } = await log.rows.list("queue", { where, limit: 1_000 });
  const waits = rows.filter(({ kind }) => kinds.includes(kind)).map(({ due_at }) => due_at - Date.now());
  const wait = Math.min(...waits);
  if (!(wait <= 2 * HEAD_START_MS)) return false;
  await sleep(Math.max(0, wait) + 1, undefined, { signal: stopping }).catch(() => {});
  return !stopping.aborted;
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
