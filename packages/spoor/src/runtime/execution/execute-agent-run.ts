import type { Run } from "../../run/run.ts";
import type { PreparedRun } from "../../run/runner.ts";
import { Execution, type ExecutionOptions } from "./execution.ts";

/**
 * Starts a run whose options are checked, and executes it: records it and connects everything else that belongs to its
 * execution. `spoor run` and the executor of tasks use this function; `createClient({ record })` uses `Execution` itself.
 *
 * @example
 * const recording = new Recording(targetOf(log));
 * const options = { recording, log: recording.log, by: "nightly", onEnd: () => recording.end() };
 * console.log((await executeAgentRun(client.prepare({ agent: "claude", prompt: "hello" }), options)).exitReason);
 */
export function executeAgentRun(prepared: PreparedRun, options: ExecutionOptions): Run {
  return prepared.start((run) => new Execution(run, options));
}
