import type { Readable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createChannel } from "./channel.ts";
import { createChunkCutter } from "./chunk-cutter.ts";
import { createFrameCutter } from "./content-length.ts";
import { createLineCutter } from "./line-cutter.ts";
import type { Piece } from "./stream-cutter.ts";

export interface OutputLine {
  source: OutputSource;
  line: string;
  /** When the line arrived, in epoch milliseconds. */
  at: number;
  /** The line is longer than `maxLineBytes` and continues in the next entry of the same source. */
  continues?: true;
  /** With Content-Length framing: text between messages. */
  stray?: true;
}

export type OutputSource = "stdout" | "stderr";

export interface OutputOptions {
  /**
   * How standard output is split; standard error is split into lines. With frames, `line` is a message body. With `chunks`,
   * both are passed on as they come, and `line` is any part of the text.
   */
  framing?: "lines" | "content-length" | "chunks" | undefined;
  /** A longer line is split into pieces: the first of about this size, the others of about `pieceBytes`. */
  maxLineBytes?: number | undefined;
  pieceBytes?: number | undefined;
  /** How many bytes may be buffered for a slow reader before reading from the pipes is paused. */
  maxBufferedBytes?: number | undefined;
  now?: (() => number) | undefined;
}

export interface Output {
  lines: AsyncIterableIterator<OutputLine, undefined>;
  /** The output comes from files, which do not end when the writer exits: only `close` ends the output. */
  isFromFiles: boolean;
  /** Resolves when both pipes are closed and their content is in `lines`. */
  closed: Promise<unknown>;
  /**
   * Reads what the pipes contain now, even when the buffer is full, then closes them. Files are read to their end at the
   * reader's pace, and this call does not wait for that.
   */
  close(): Promise<void>;
}

/**
 * Merges both pipes of a child process into one sequence of lines, ordered by when the last byte of each line was read.
 * Between two pipes, the system gives no better approximation of the order of writing.
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
  /** Up to this number of received bytes, the pipes are read even when the buffer is full. */
  let mustReceive = 0;

  const pauseOrResume = (): void => {
    const mustWait = channel.full && received >= mustReceive;
    for (const stream of streams) {
      if (mustWait) stream.pause();
      else stream.resume();
    }
  };
  const channel = createChannel<OutputLine>({ capacity: maxBufferedBytes, onRoom: pauseOrResume });

  const deliver = (source: OutputSource, pieces: Iterable<Piece>): void => {
    const at = now();
    try {
      for (const { text, ...flags } of pieces) {
        channel.push({ source, line: text, at, ...flags }, weigh(text));
      }
    } catch (error) {
      channel.end(error as Error);
    }
    if (channel.full) pauseOrResume();
  };

  for (const source of ["stdout", "stderr"] as const) {
    const stream = pipes[source];
    if (stream === null) continue;
    const cutter = cutterOf(framing, source)({ maxBytes, pieceBytes });
    streams.push(stream);
    closings.push(new Promise((resolve) => stream.once("close", resolve)).then(() => deliver(source, cutter.end())));
    // A broken pipe closes next, and `close` is handled above.
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
      mustReceive = received + MORE_THAN_PIPE_CAPACITY;
      pauseOrResume();
      // Everything written before this call is read. A process that could not be killed may write forever, so reading stops
      // when the pipes are quiet, when they have delivered more than they can have held, or after some rounds.
      for (let round = 0; round < 25 && streams.some((stream) => !stream.closed); round += 1) {
        const before = received;
        await setTimeout(20);
        // The event loop polls for input between a timer and an immediate, however late the timer fires.
        await setImmediate();
        if (received === before) break;
      }
      for (const stream of streams) stream.destroy();
      await this.closed;
      channel.end();
    },
  };
}

function cutterOf(framing: NonNullable<OutputOptions["framing"]>, source: OutputSource) {
  if (framing === "chunks") return createChunkCutter;
  return framing === "content-length" && source === "stdout" ? createFrameCutter : createLineCutter;
}

/** An upper bound of the memory that an entry uses. */
const weigh = (text: string): number => 2 * text.length + 128;

const MORE_THAN_PIPE_CAPACITY = 4 * 1024 * 1024;
