import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { unprefixed } from "@spoor/protocol/ids";
import type { Adapter } from "../../agents/machine.ts";
import { killMarked } from "../../process/kill-marked.ts";
import { signalMarked } from "../../process/signal-marked.ts";
import type { Run } from "../../run/run.ts";
import { createRunner } from "../../run/runner.ts";
import { executeAgentRun } from "../execution/execute-agent-run.ts";
import { INTERACTIVE_MS } from "../projections/approval-request.ts";
import { Recording } from "../recording/recording.ts";
import { openTarget } from "../recording/target.ts";
import { agentOptionsOf } from "../specification/agent-options.ts";
import { findAdapter } from "../specification/find-adapter.ts";
import type { TaskSpec } from "../specification/spec.ts";
import type { Execution, Executor } from "./executor.ts";

/** Performs runs of the kind `agent` in this process, which serves this one run only. */
export function createAgentExecutor(environment: NodeJS.ProcessEnv = process.env): Executor {
  return { name: "process", execute: (execution) => executeAgent(execution, environment) };
}

async function executeAgent(execution: Execution, environment: NodeJS.ProcessEnv): Promise<void> {
  const { log, directory, claim, spec, signal } = execution;
  const { run, epoch } = claim;
  const prior = spec.continues && (await log.run(spec.continues.run_id));
  const adapter = await findAdapter(spec.agent ?? run.agent);
  const runId = unprefixed("run", run.run_id);
  const cwd = run.workspace_path ?? process.cwd();
  const isHeld = mustHold(adapter, spec, directory, cwd);
  const prepared = createRunner([adapter]).prepare({
    ...agentOptionsOf(spec, environment, prior),
    ...(isHeld && { approve: "ask" as const }),
    agent: adapter.name,
    cwd,
    runId,
  });
  const target = await openTarget({ directory });
  const recording = new Recording(target, {
    taken_up: { run, epoch, readLines: target.readLines },
    executor: "process",
    approvals: { expiresInMs: INTERACTIVE_MS },
  });
  const rules = { directory, isYolo: isHeld, ...(spec.policy && { task: spec.policy }) };
  const handle = executeAgentRun(prepared, { recording, log: recording.log, by: "spoor", rules });
  const stopListening = fence(execution, handle, runId);
  try {
    // Events are read, so that the run is not held back.
    for await (const _ of handle) {
      const drained = recording.recorder.drained();
      if (drained) await drained;
    }
    await handle.result();
  } finally {
    stopListening();
    await recording.close();
  }
  const { failure } = await recording.end();
  if (failure && !signal.aborted) throw failure;
}

/**
 * Whether an agent that may do everything is still asked about it, because rules block something: what no rule blocks is
 * allowed then without asking a person.
 */
function mustHold(
  adapter: Adapter,
  { approve, policy = [], dialect }: TaskSpec,
  directory: string,
  cwd: string,
): boolean {
  if (approve !== "auto" && approve !== "yolo") return false;
  if (!adapter.dialects.some((each) => each.canAsk && each.live && (dialect === undefined || each.name === dialect)))
    return false;
  const files = [path.join(directory, "policy.rules"), path.join(cwd, ".spoor", "policy.rules")];
  return [...policy, ...files.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"))].some(
    (text) => /(^|;)\s*(always\s+)?block\s/m.test(text),
  );
}

/** Ends the agent when this process stops or loses the run, and stops it while the lease is in doubt. */
function fence({ signal, controls }: Execution, handle: Run, mark: string): () => void {
  controls({
    pause: () => signalMarked(mark, "SIGSTOP"),
    resume: () => signalMarked(mark, "SIGCONT"),
    kill: () => killMarked(mark),
  });
  const abort = () => handle.abort();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return () => signal.removeEventListener("abort", abort);
}
