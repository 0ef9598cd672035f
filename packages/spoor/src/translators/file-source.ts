import type { Log } from "../log/log.ts";

/** Where a run is, for forms that show more than its events hold. */
export interface FileSource {
  readonly log: Log;
  /** The data directory, which has contents that are too large for the log. */
  readonly directory: string;
  readonly run_id: string;
}
