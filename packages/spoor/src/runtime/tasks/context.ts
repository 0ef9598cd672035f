import type { Log } from "../../log/log.ts";

/** The log that holds the tasks, and who asks. */
export interface TaskContext {
  log: Log;
  /** The data directory. */
  directory: string;
  /** Whether runs of this kind can be performed. Default: those that this version of Spoor performs. */
  canExecute?(kind: string): boolean;
  /** Who asks, for the events: a person, a program or a part of Spoor. */
  by: string;
}
