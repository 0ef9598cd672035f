import type { Log, Tapes } from "../../log/log.ts";
import type { Queue } from "../../log/queue.ts";

/** The part of a log that recording needs. A log opened in this process and a log behind a server both implement it. */
export interface RecorderLog extends Pick<Log, "append" | "runs" | "rows" | "watchCommands"> {
  readonly tapes: Pick<Tapes, "append">;
  readonly queue: Pick<Queue, "extend" | "release">;
}
