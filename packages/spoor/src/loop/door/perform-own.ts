import type { Log } from "../../log/log.ts";
import { isOver, type RunExecutor } from "../../log/records.ts";
import { expireDue } from "../../runtime/approvals/due.ts";
import { LEASE_MS } from "../../runtime/lease-times.ts";
import { isQueuedForLater } from "../../runtime/lifecycle/queued-for-later.ts";
import type { Executor } from "../../runtime/queue/executor.ts";
import { openingOf } from "../../runtime/queue/opening.ts";
import { perform } from "../../runtime/queue/perform.ts";
import { ownWorkerId } from "../../runtime/worker.ts";

export interface OwnPerformance {
  log: Log;
  directory: string;
  run_id: string;
  executor: Executor;
  /** What the log says about who performs the run. */
  name: RunExecutor;
  /** Aborts with the reason `shutdown` when this process stops. */
  stopping: AbortSignal;
}

/** How often the run is looked at without being told of a change. */
const POLL_MS = 1_000;

/**
 * Performs one run in this process, each time it is queued, until it is over. Between that it waits: while somebody is asked,
 * while the run is paused, and while another worker performs it.
 */
export async function performOwn({ log, directory, run_id, executor, name, stopping }: OwnPerformance): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const wake = (): void => changed.resolve();
  const unwatch = log.watchRows((table, key) => {
    if (table === "queue" && key === run_id) wake();
  });
  const unwatchEvents = log.watch((piece) => {
    if (piece.run_id === run_id) wake();
  });
  const poll = setInterval(wake, POLL_MS);
  stopping.addEventListener("abort", wake);
  try {
    while (!stopping.aborted) {
      changed = Promise.withResolvers();
      const run = await log.run(run_id);
      if (!run || isOver(run)) return;
      // A run whose subagent waits for a person is queued for later: it is taken when the answer is there.
      const claim =
        run.status === "queued" && !(await isQueuedForLater(log, run))
          ? await log.queue.claim(
              ownWorkerId(),
              [run.kind],
              LEASE_MS,
              (taken, lease) => openingOf(taken, lease, name, directory),
              run_id,
            )
          : undefined;
      if (claim) await perform(executor, claim, { log, directory, stopping });
      else {
        await expireDue(log, { task_id: run.task_id });
        await changed.promise;
      }
    }
  } finally {
    clearInterval(poll);
    stopping.removeEventListener("abort", wake);
    unwatch();
    unwatchEvents();
  }
}
