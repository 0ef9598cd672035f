import type { Log } from "../../log/log.ts";
import type { RecorderLog } from "./recorder-log.ts";

/** Stored envelopes of one run, one per line. */
export interface StoredLines {
  text: string;
  /** The last sequence that was read, to pass as `after` next time. */
  next: number;
  more: boolean;
}

/** A log that a recorder writes to and that can be read. */
export type ReadableLog = RecorderLog & Pick<Log, "read">;

/** Reads the envelopes of a run after a sequence. */
export const storedLines =
  (log: Pick<Log, "read">) =>
  async (run_id: string, after: number): Promise<StoredLines> => {
    const { pieces, next, more } = await log.read(run_id, { after });
    return { text: pieces.map(({ bytes }) => bytes.toString()).join(""), next, more };
  };
