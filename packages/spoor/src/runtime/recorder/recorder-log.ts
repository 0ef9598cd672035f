import type { Log, Tapes } from "../../log/log.ts";

/** What recording needs of a log: one that is open here has it, and so has one that is reached through a server. */
export interface RecorderLog extends Pick<Log, "append" | "runs"> {
  readonly tapes: Pick<Tapes, "append">;
}
