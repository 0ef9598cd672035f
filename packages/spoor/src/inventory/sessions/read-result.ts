import type { SessionLog } from "../../agents/session-log.ts";

/** The result of reading one session. */
export interface ReadResult {
  log: SessionLog;
  /** Sentences about lines or files that could not be read. */
  notes: string[];
  /** Whether the session was read to its end. */
  isWhole: boolean;
}
