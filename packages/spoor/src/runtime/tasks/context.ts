import type { Log } from "../../log/log.ts";

/** What functions about tasks work with. */
export interface TaskContext {
  log: Log;
  /** The data directory. */
  directory: string;
  /** Whether runs of this kind can be performed by this version of Spoor. */
  canExecute(kind: string): boolean;
  /** Who asks, for the events: a person, a program or a part of Spoor. */
  by: string;
}
