import type { StoredLines } from "../recorder/stored-lines.ts";

/** Reads the stored envelopes of a run after a sequence. */
export type ReadLines = (run_id: string, after: number) => Promise<StoredLines>;

/** Finds the envelopes of calls as they are stored. Each run is read once, from where the last search ended. */
export class StoredCalls {
  readonly #readLines: ReadLines;
  readonly #cursors = new Map<string, number>();
  /** The envelopes that nobody has asked for yet, by run, call and moment. */
  readonly #found = new Map<string, string>();

  constructor(readLines: ReadLines) {
    this.#readLines = readLines;
  }

  /** Returns the envelope that announced a call, or the one that ended it. Undefined if it is not stored. */
  async take(run_id: string, moment: Moment, tool_call_id: string): Promise<string | undefined> {
    await this.#read(run_id);
    const key = keyOf(run_id, moment, tool_call_id);
    const line = this.#found.get(key);
    if (moment === "ended") {
      this.#found.delete(key);
      this.#found.delete(keyOf(run_id, "invoked", tool_call_id));
    }
    return line;
  }

  async #read(run_id: string): Promise<void> {
    for (;;) {
      const { text, next, more } = await this.#readLines(run_id, this.#cursors.get(run_id) ?? -1);
      this.#cursors.set(run_id, next);
      for (const line of text.split("\n")) this.#note(run_id, line);
      if (!more) return;
    }
  }

  #note(run_id: string, line: string): void {
    // Most lines are about something else, and need not be parsed.
    if (!LOOKS_LIKE_CALL.test(line)) return;
    const { type, data } = JSON.parse(line) as { type: string; data: { tool_call_id?: string } };
    const moment = moments[type];
    if (moment !== undefined && data.tool_call_id !== undefined) {
      this.#found.set(keyOf(run_id, moment, data.tool_call_id), line);
    }
  }
}

type Moment = "invoked" | "ended";

const moments: Readonly<Record<string, Moment>> = {
  "tool.invoked": "invoked",
  "tool.completed": "ended",
  "tool.failed": "ended",
  "tool.cancelled": "ended",
  "tool.timed_out": "ended",
};

const LOOKS_LIKE_CALL = /"tool\.(?:invoked|completed|failed|cancelled|timed_out)"/;

const keyOf = (...names: readonly string[]): string => names.join("\n");
