import type { StoredRun } from "../../log/records.ts";
import type { RunOptions } from "../../options/run-options.gen.ts";
import { runOptionsOf, type TaskSpec } from "./spec.ts";

/** The options of an agent's run, with the session that it goes on with. `prior` is the run that the specification names. */
export function agentOptionsOf(spec: TaskSpec, environment: NodeJS.ProcessEnv, prior?: StoredRun): RunOptions {
  const options = runOptionsOf(spec, environment);
  const session = prior?.native_session_id;
  const mode = spec.continues?.mode;
  if (session === undefined || mode === undefined || mode === "retry") return options;
  return { ...options, ...(mode === "fork" ? { fork: session } : { resume: session }) };
}
