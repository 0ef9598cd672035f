import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../../log/log.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import { CommandError } from "../../runtime/commands/command-error.ts";
import { sendCommand } from "../../runtime/commands/send.ts";
import { LEASE_MS } from "../../runtime/lease-times.ts";
import { isQueuedForLater, laterFrom } from "../../runtime/lifecycle/queued-for-later.ts";
import { INTERACTIVE_MS } from "../../runtime/projections/approval-request.ts";
import type { Execution, Executor } from "../../runtime/queue/executor.ts";
import { openingOf } from "../../runtime/queue/opening.ts";
import { perform } from "../../runtime/queue/perform.ts";
import { ownWorkerId } from "../../runtime/worker.ts";
import type { ToolWait } from "../tools/tool.ts";

/** How often a run that another process performs is looked at. */
const POLL_MS = 200;

/**
 * Performs the run of a subagent in this process until it is over or waits for a person. A run that another process has taken
 * is waited for. If `stopping` aborts, the run is cancelled; if this process must leave its own run, it leaves this one, too.
 */
export async function performChild(
  { execution, executor }: { execution: Execution; executor: Executor },
  run_id: string,
  stopping: AbortSignal,
): Promise<StoredRun | ToolWait | "left"> {
  const { log } = execution;
  let cancelling: Promise<void> | undefined;
  const cancel = (): void => {
    if (!stopping.aborted || execution.signal.aborted || cancelling) return;
    cancelling = cancelRun(log, run_id, execution.claim.run.run_id);
    // It is awaited below; until then, its failure must not count as unhandled.
    cancelling.catch(() => {});
  };
  stopping.addEventListener("abort", cancel);
  try {
    for (;;) {
      cancel();
      await cancelling;
      if (execution.signal.aborted) return "left";
      const run = await log.run(run_id);
      if (!run) throw new Error(`The run ${run_id} of the subagent is gone.`);
      if (isOver(run)) return run;
      if (!cancelling && (await waitsForPerson(log, run))) return waitOf(log, run);
      if (!(await take(execution, executor, run_id))) await wait(POLL_MS);
    }
  } finally {
    stopping.removeEventListener("abort", cancel);
  }
}

/** Takes the run if it is free, and performs it. */
async function take({ log, directory, signal }: Execution, executor: Executor, run_id: string): Promise<boolean> {
  const claim = await log.queue.claim(
    ownWorkerId(),
    ["agent_loop"],
    LEASE_MS,
    (run, lease) => openingOf(run, lease, executor.name, directory),
    run_id,
  );
  if (!claim) return false;
  await perform(executor, claim, { log, directory, stopping: signal });
  return true;
}

/** Whether nobody performs the run until a person does something: it is asked about, it is paused, or its own subagent waits. */
const waitsForPerson = async (log: Log, run: StoredRun): Promise<boolean> =>
  run.paused === true || run.status === "awaiting_approval" || (await isQueuedForLater(log, run));

async function waitOf(log: Log, { run_id, last_sequence }: StoredRun): Promise<ToolWait> {
  const { rows } = await log.rows.list("approvals", { where: { run_id, status: "pending" } });
  const ends = rows.flatMap(({ expires_at }) => (typeof expires_at === "number" ? [expires_at] : []));
  const until = Math.max(laterFrom(Date.now()), ...(ends.length > 0 ? ends : [Date.now() + INTERACTIVE_MS]));
  return {
    until,
    async hasEnded() {
      const now = await log.run(run_id);
      return now === undefined || now.last_sequence !== last_sequence;
    },
  };
}

/** Cancels the run of a subagent, if it is not over. */
export async function cancelRun(log: Log, run_id: string, parent: string): Promise<void> {
  const body = { reason: "The run that started this subagent was stopped." };
  await sendCommand(log, { run_id, kind: "cancel", by: parent, body }).catch((error: unknown) => {
    // It has ended meanwhile.
    if (!(error instanceof CommandError)) throw error;
  });
}
