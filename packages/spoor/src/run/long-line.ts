import type { Signal } from "../agents/signal.ts";
import type { OutputLine, OutputSource } from "../process/process-output.ts";
import type { WireLine } from "./observer.ts";

/**
 * The longest line, or message, of an agent that is read as an event: an agent may show a file of the size that model
 * services accept, and reading takes several times the memory. A longer line is kept on the tape, in pieces.
 */
export const MAX_LINE_BYTES: number = 32 * 1024 * 1024;

/** How a process is read so that no line takes more memory than that. */
export const lineLimits = { maxLineBytes: MAX_LINE_BYTES, pieceBytes: 1024 * 1024 };

/** Pieces on the tape are small, so that a secret that lies across two of them is found. */
const TAPE_PIECE = 16 * 1024;
const SHOWN = 120;

/** Follows the lines of one process that are too long to be read. */
export class LongLines {
  readonly #open = new Map<OutputSource, { bytes: number; start: string }>();
  readonly #onPiece: (line: WireLine) => void;

  constructor(onPiece: (line: WireLine) => void) {
    this.#onPiece = onPiece;
  }

  /** Whether the entry is part of a long line; once the line is complete, `tell` gets what to say of it. */
  take({ source, line, continues }: OutputLine, tell: (signals: Signal[]) => void): boolean {
    const known = this.#open.get(source);
    if (!continues && !known) return false;
    const open = known ?? { bytes: 0, start: line.slice(0, SHOWN) };
    open.bytes += Buffer.byteLength(line);
    for (let at = 0; at < line.length || at === 0; ) {
      const end = pieceEnd(line, at + TAPE_PIECE);
      const piece = continues || end < line.length ? "more" : "last";
      this.#onPiece({ from: source, text: line.slice(at, end), piece });
      at = Math.max(end, 1);
    }
    if (continues) this.#open.set(source, open);
    else {
      this.#open.delete(source);
      tell([longLine(source, open)]);
    }
    return true;
  }
}

/** What is told in place of a line that was too long. */
export const longLine = (source: OutputSource, { bytes, start }: { bytes: number; start: string }): Signal => ({
  kind: "note",
  level: "warn",
  message:
    `The agent wrote a line of ${bytes} bytes to ${source}. A line of more than ${MAX_LINE_BYTES} bytes is not read as an ` +
    `event; all of it is on the run's tape, if one is recorded. It begins with: ${start.slice(0, SHOWN)}`,
});

/** Not between the halves of a character. */
function pieceEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}
