import { unprefixed } from "@spoor/protocol/ids";
import { killMarked } from "../../process/kill-marked.ts";
import { signalMarked } from "../../process/signal-marked.ts";
import type { Run } from "../../run/run.ts";
import { createRunner } from "../../run/runner.ts";
import { executeAgentRun } from "../execution/execute-agent-run.ts";
import { createGovernor } from "../execution/govern.ts";
import { INTERACTIVE_MS } from "../projections/approval-request.ts";
import { Recording } from "../recording/recording.ts";
import { openTarget } from "../recording/target.ts";
import { agentOptionsOf } from "../specification/agent-options.ts";
import { findAdapter } from "../specification/find-adapter.ts";
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
  // Whoever started the task was asked about its model then.
  const govern = createGovernor({ directory, isModelAllowed: true, ...(spec.policy && { task: spec.policy }) });
  const prepared = createRunner([adapter], { govern }).prepare({
    ...agentOptionsOf(spec, environment, prior),
    agent: adapter.name,
    cwd,
    runId,
  });
  const target = await openTarget({ directory });
  const recording = new Recording(target, {
    taken_up: { run, epoch, readLines: target.readLines },
    executor: "process",
    ...(spec.record_thinking && { record_thinking: true }),
    ...(spec.record_tool_input && { record_tool_input: true }),
    approvals: {
      expiresInMs: spec.approval_timeout_ms ?? INTERACTIVE_MS,
      ...(spec.on_approval_timeout && { defaultAction: spec.on_approval_timeout }),
    },
  });
  const rules = { directory, ...(spec.policy && { task: spec.policy }) };
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
