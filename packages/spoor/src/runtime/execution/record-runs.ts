import { inspect } from "node:util";
import { ValidationError } from "../../failures/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory } from "../../log/open.ts";
import type { Govern } from "../../run/govern.ts";
import type { ObservedRun, RunObserver } from "../../run/observer.ts";
import { INTERACTIVE_MS } from "../projections/approval-request.ts";
import type { RecordingError } from "../recorder/recording-error.ts";
import { Recording, type RecordingOptions } from "../recording/recording.ts";
import { shareTarget } from "../recording/shared-target.ts";
import { openTarget, targetOf } from "../recording/target.ts";
import { Execution } from "./execution.ts";
import { createGovernor } from "./govern.ts";
import { mayGovern } from "./may-govern.ts";
import { principalOf } from "./principal.ts";

/**
 * Where and how the runs of a client are recorded.
 *
 * @example
 * const client = createClient({ record: { to: "./runs", task_id: "task_nightly", ifUnrecorded: "continue" } });
 */
export interface RecordOptions extends RecordingOptions {
  /**
   * An open log, which stays open; or a data directory. Runs are recorded into a directory through the server that runs on
   * it; if there is none, its log is opened while runs are active. `true` is the default data directory.
   */
  to: Log | string | true;
  /**
   * What happens if a run cannot be recorded: `stop` (the default) ends the run, `continue` continues it without recording.
   */
  ifUnrecorded?: "stop" | "continue";
  /** Called once for each run that cannot be recorded to its end. Default: `process.emitWarning`. */
  onFailure?(failure: RecordingError, run: ObservedRun): void;
}

/** Where to record: an open log, a data directory, `true` for the default data directory, or one of these with options. */
export type RecordTo = Log | string | true | RecordOptions;

/**
 * Makes the observers that record runs. A run is durable before its agent starts, and its result waits for its last event.
 *
 * @example
 * const observer = recordRuns("./runs")({ runId, abort: () => run.abort() });
 * const run = client.run({ agent: "claude", prompt: "hello", runId }, observer);
 */
export function recordRuns(record: RecordTo): (run: ObservedRun) => RunObserver {
  const { to, ifUnrecorded = "stop", onFailure = warn, ...options } = optionsOf(record);
  const open = typeof to === "string" ? shareTarget(() => openTarget({ directory: to }), to) : () => targetOf(to);
  return (run) => {
    const approvals = { expiresInMs: INTERACTIVE_MS, ...options.approvals };
    const recording = new Recording(open(), { ...options, approvals });
    return new Execution(run, {
      recording,
      log: recording.log,
      rules: { directory: directoryOf({ to }) },
      by: principalOf("sdk"),
      ifUnrecorded,
      onFailure: (failure) => onFailure(failure, run),
      onEnd: () => recording.end(),
    });
  };
}

/** Applies the user's rules to runs before they start. They are read from the data directory that is recorded into. */
export function governRuns(record: RecordTo): Govern {
  const directory = directoryOf(optionsOf(record));
  const govern = createGovernor({ directory });
  return (wanted) =>
    mayGovern(directory, wanted.configFolder, wanted.request.cwd) ? govern(wanted) : { request: wanted.request };
}

const directoryOf = ({ to }: { to: Log | string }): string =>
  typeof to === "string" ? to : (to.directory ?? dataDirectory());

function optionsOf(record: RecordTo): RecordOptions & { to: Log | string } {
  const options = typeof record === "object" && record !== null && "to" in record ? record : { to: record };
  const { to } = options;
  if (to === true) return { ...options, to: dataDirectory() };
  const isDirectory = typeof to === "string" && to !== "";
  if (isDirectory || typeof (to as Partial<Log> | null)?.append === "function") return { ...options, to };
  const message = `record must be an open log, the path of a data directory, or true, not ${inspect(to, { depth: 0 })}.`;
  throw new ValidationError([{ field: "record", message }]);
}

const warn = (failure: RecordingError): void => process.emitWarning(failure);
