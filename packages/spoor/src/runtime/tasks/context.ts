import type { Log } from "../../log/log.ts";
import type { OfferedKind } from "../queue/executor.ts";

/** The log that holds the tasks, and who asks. */
export interface TaskContext {
  log: Log;
  /** The data directory. */
  directory: string;
  /** Kinds of tasks besides those of the runtime, such as `loop`. */
  kinds?: readonly OfferedKind[];
  /** Whether runs of this kind can be performed. Default: the kinds of the runtime, and those in `kinds`. */
  canExecute?(kind: string): boolean;
  /** Who asks, for the events: a person, a program or a part of Spoor. */
  by: string;
}
