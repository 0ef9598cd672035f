import type { Limits } from "../artifacts/index.ts";
import type { ChangeSource } from "../recorder/change-source.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { openTracker, realPath } from "./open-tracker.ts";
import { RunChanges } from "./run-changes.ts";

export interface OpenChangesOptions {
  /** Where the agent works. */
  cwd: string;
  /** Spoor's data directory. */
  directory: string;
  log: Pick<RecorderLog, "rows">;
  /** Whether every call waits for `beforeCall`, so that one runs at a time. */
  callsWait?: boolean;
}

/** Makes what finds and keeps the changes of a run. Undefined where nothing is looked at. */
export function openChanges({ cwd, directory, log, callsWait }: OpenChangesOptions): ChangeSource | undefined {
  const tracker = openTracker({ cwd, directory, ...(callsWait && { callsWait }) });
  if (!tracker) return undefined;
  let limits: Promise<Limits> | undefined;
  // Loaded with the first change: most runs of a second change nothing.
  const loadLimits = () => {
    limits ??= import("../artifacts/index.ts").then(({ createLimits }) => createLimits(log));
    return limits;
  };
  return new RunChanges(tracker, { directory, folder: realPath(cwd), limits: loadLimits });
}
