import type { Log, Tapes } from "../../log/log.ts";

/** The part of a log that recording needs. A log opened in this process and a log behind a server both implement it. */
export interface RecorderLog extends Pick<Log, "append" | "runs"> {
  readonly tapes: Pick<Tapes, "append">;
}
