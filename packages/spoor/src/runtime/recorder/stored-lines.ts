import type { Log } from "../../log/log.ts";
import type { RecorderLog } from "./recorder-log.ts";

/** Envelopes of one run, a line each, as they are stored. */
export interface StoredLines {
  text: string;
  /** The last sequence that was looked at; where to go on after. */
  next: number;
  more: boolean;
}

export type ReadableLog = RecorderLog & Pick<Log, "read">;

/** Reads what a log holds of a run after a sequence, as text. */
export const storedLines =
  (log: Pick<Log, "read">) =>
  async (run_id: string, after: number): Promise<StoredLines> => {
    const { pieces, next, more } = await log.read(run_id, { after });
    return { text: pieces.map(({ bytes }) => bytes.toString()).join(""), next, more };
  };
