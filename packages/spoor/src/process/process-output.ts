import type { Readable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createChannel } from "./channel.ts";
import { createFrameCutter } from "./content-length.ts";
import { createLineCutter } from "./line-cutter.ts";
import type { Piece } from "./stream-cutter.ts";

export interface OutputLine {
  source: OutputSource;
  line: string;
  /** When it arrived, in epoch milliseconds. */
  at: number;
  /** Longer than `maxLineBytes`: the line goes on in the next entry of the same source. */
  continues?: true;
  /** With Content-Length framing: noise between messages. */
  stray?: true;
}

export type OutputSource = "stdout" | "stderr";

export interface OutputOptions {
  /** How standard output is cut; standard error is always lines. With frames, `line` is the body of a message. */
  framing?: "lines" | "content-length" | undefined;
  /** A longer line comes in pieces: the first of about this size, the others of about `pieceBytes`. */
  maxLineBytes?: number | undefined;
  pieceBytes?: number | undefined;
  /** What may wait for a slow reader before the pipes are left alone, in bytes of memory. */
  maxBufferedBytes?: number | undefined;
  now?: (() => number) | undefined;
}

export interface Output {
  lines: AsyncIterableIterator<OutputLine, undefined>;
  /** It comes from files, which do not tell that nobody writes to them any more: only `close` ends it. */
  isFromFiles: boolean;
  /** Resolves when both pipes are closed and what they held is in `lines`. */
  closed: Promise<unknown>;
  /**
   * Reads what the pipes hold now, whether or not the reader has room, then closes them. Files are read to their ends at the
   * reader's pace, and not waited for.
   */
  close(): Promise<void>;
}

/**
 * Both pipes of a child as one sequence of lines. A line stands where its last byte was read; between two pipes that
 * is as near to the order of writing as the system lets us see.
 */
export function collectOutput(
  pipes: Record<OutputSource, Readable | null>,
  options: OutputOptions,
  finishFiles?: () => void,
): Output {
  const {
    framing = "lines",
    maxLineBytes: maxBytes,
    pieceBytes,
    maxBufferedBytes = 256 * 1024,
    now = Date.now,
  } = options;
  const streams: Readable[] = [];
  const closings: Promise<void>[] = [];
  let received = 0;
  /** Up to here the pipes are read whether or not there is room. */
  let owed = 0;

  const flow = (): void => {
    const mustWait = channel.full && received >= owed;
    for (const stream of streams) {
      if (mustWait) stream.pause();
      else stream.resume();
    }
  };
  const channel = createChannel<OutputLine>({ capacity: maxBufferedBytes, onRoom: flow });

  const deliver = (source: OutputSource, pieces: Iterable<Piece>): void => {
    const at = now();
    try {
      for (const { text, ...flags } of pieces) {
        channel.push({ source, line: text, at, ...flags }, weigh(text));
      }
    } catch (error) {
      channel.end(error as Error);
    }
    if (channel.full) flow();
  };

  for (const source of ["stdout", "stderr"] as const) {
    const stream = pipes[source];
    if (stream === null) continue;
    const frame = source === "stdout" && framing === "content-length" ? createFrameCutter : createLineCutter;
    const cutter = frame({ maxBytes, pieceBytes });
    streams.push(stream);
    closings.push(new Promise((resolve) => stream.once("close", resolve)).then(() => deliver(source, cutter.end())));
    // A pipe that breaks closes next; there is nothing to add to that.
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
      deliver(source, cutter.push(chunk));
    });
  }

  return {
    lines: channel,
    closed: Promise.all(closings),
    isFromFiles: finishFiles !== undefined,
    async close() {
      if (finishFiles) {
        finishFiles();
        void this.closed.then(() => channel.end());
        return;
      }
      owed = received + MORE_THAN_PIPES_HOLD;
      flow();
      // What was written before this call is read first. A process out of reach may go on writing forever, so the end
      // comes when the pipes fall silent or gave what they can have held, and in any case after some rounds.
      for (let round = 0; round < 25 && streams.some((stream) => !stream.closed); round += 1) {
        const before = received;
        await setTimeout(20);
        // The system is asked for input between a timer and an immediate, however late the timer was.
        await setImmediate();
        if (received === before) break;
      }
      for (const stream of streams) stream.destroy();
      await this.closed;
      channel.end();
    },
  };
}

/** An upper bound of what an entry takes in memory. */
const weigh = (text: string): number => 2 * text.length + 128;

const MORE_THAN_PIPES_HOLD = 4 * 1024 * 1024;
