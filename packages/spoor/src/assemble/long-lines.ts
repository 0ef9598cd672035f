import type { Signal } from "../agents/signal.ts";

/**
 * A longer line, or message, of an agent is not read as an event. The limit leaves room for files of the size that model
 * services accept; reading a line takes several times its size in memory. The tape keeps longer lines in pieces.
 */
export const MAX_LINE_BYTES: number = 32 * 1024 * 1024;

/** How many characters of a long line the warning about it shows. */
const SHOWN = 120;

/** Measures lines that are too long to be read as events, piece by piece. */
export class LongLines {
  readonly #open = new Map<string, { bytes: number; start: string }>();

  /** Returns a warning with the last piece of a line, and nothing before. */
  add(source: "stdout" | "stderr", text: string, piece: "more" | "last"): Signal[] {
    const line = this.#open.get(source) ?? { bytes: 0, start: text.slice(0, SHOWN) };
    line.bytes += Buffer.byteLength(text);
    if (piece === "more") {
      this.#open.set(source, line);
      return [];
    }
    this.#open.delete(source);
    return [warningAbout(source, line)];
  }
}

const warningAbout = (source: string, { bytes, start }: { bytes: number; start: string }): Signal => ({
  kind: "note",
  level: "warn",
  message:
    `The agent wrote a line of ${bytes} bytes to ${source}. A line of more than ${MAX_LINE_BYTES} bytes is not read as an ` +
    `event; all of it is on the run's tape, if one is recorded. It begins with: ${start}`,
});
