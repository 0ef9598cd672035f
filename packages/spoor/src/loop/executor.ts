import { forgetCallChanges } from "../runtime/artifacts/file-changes.ts";
import type { Execution, Executor } from "../runtime/queue/executor.ts";
import { giveBack } from "../runtime/recovery/requeue-run.ts";
import { performRun } from "./loop.ts";
import { LeftError } from "./loop-run.ts";
import { openRun } from "./open-run.ts";
import type { LoopOptions } from "./options.ts";

export type { LoopOptions } from "./options.ts";

/**
 * Performs runs of kind `agent_loop`: Spoor's own agent. It calls a model, runs the tools that the model asks for, and stores
 * each step before it does the next one, so that another process can go on wherever this one stops.
 */
export function createLoopExecutor(options: LoopOptions = {}): Executor {
  const executor: Executor = {
    name: options.name ?? "worker",
    execute: (execution) => execute(execution, options, executor),
  };
  return executor;
}

async function execute(execution: Execution, options: LoopOptions, executor: Executor): Promise<void> {
  const { run, receiver, mcp, timer } = await openRun(execution, options, executor);
  const { recorder } = run.record;
  try {
    const outcome = await performRun(run);
    if (outcome === "over") await recorder.close();
    await (outcome === "over" ? receiver.close() : receiver.leave());
    await forgetCallChanges(execution.directory, execution.claim.run.run_id);
  } catch (error) {
    receiver.leave();
    if (!(error instanceof LeftError)) throw error;
  } finally {
    clearTimeout(timer);
    await mcp.close();
    await run.gate.close();
    await recorder.leave();
    await handOver(execution);
  }
}

/** A run that this process leaves because it stops is queued again, for another one. */
async function handOver({ log, claim, signal }: Execution): Promise<void> {
  if (!signal.aborted || signal.reason !== "shutdown") return;
  await giveBack(log, claim.run.run_id, claim.epoch).catch(() => {});
}
