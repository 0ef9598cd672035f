import type { RunEvent } from "../commit.ts";
import { CommandOutput as CollectedOutput } from "../contents/command-output.ts";
import type { RedactionStream, Redactor } from "../redaction/index.ts";

type Stream = "stdout" | "stderr";

/** Bytes of output that wait at most before they are written, and for how long. */
const BATCH_BYTES = 64 * 1024;
const BATCH_MS = 50;

/**
 * Turns the output of a command into `tool.shell.output_chunk` events: redacted, with byte offsets, a few milliseconds of
 * output in one commit. `add` resolves when there is room for more, so that a fast command waits for the log.
 */
export class CommandOutput {
  /** Bytes of each stream so far, as recorded. */
  readonly bytes: Record<Stream, number> = { stdout: 0, stderr: 0 };
  /** The end of the output, for the summary of the call. */
  tail = "";
  /** The whole output as recorded, both streams in their order. */
  readonly whole: CollectedOutput = new CollectedOutput();
  readonly #call: string;
  readonly #write: (events: readonly RunEvent[]) => Promise<void>;
  readonly #streams: Record<Stream, RedactionStream>;
  #waiting: [Stream, string][] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(call: string, redactor: Redactor, write: (events: readonly RunEvent[]) => Promise<void>) {
    this.#call = call;
    this.#write = write;
    this.#streams = { stdout: redactor.stream(), stderr: redactor.stream() };
  }

  async add(stream: Stream, text: string): Promise<void> {
    this.#hold(stream, this.#streams[stream].push(text));
    if (this.#size >= BATCH_BYTES) await this.#flush();
    else if (this.#size > 0) this.#timer ??= setTimeout(() => void this.#flush().catch(() => {}), BATCH_MS);
  }

  /** Writes what waits and what was held back because it might have been part of a secret. */
  async end(): Promise<void> {
    for (const stream of ["stdout", "stderr"] as const) this.#hold(stream, this.#streams[stream].flush());
    await this.#flush();
  }

  #hold(stream: Stream, text: string): void {
    if (text === "") return;
    const last = this.#waiting.at(-1);
    if (last?.[0] === stream) last[1] += text;
    else this.#waiting.push([stream, text]);
    this.#size += Buffer.byteLength(text);
    this.whole.add(text);
    this.tail = (this.tail + text).slice(-TAIL_LENGTH);
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting.map(([stream, data]): RunEvent => {
      const byte_offset = this.bytes[stream];
      this.bytes[stream] += Buffer.byteLength(data);
      return ["tool.shell.output_chunk", { tool_call_id: this.#call, stream, data, byte_offset }];
    });
    this.#waiting = [];
    this.#size = 0;
    if (events.length > 0) this.#writing = this.#writing.then(() => this.#write(events));
    return this.#writing;
  }
}

const TAIL_LENGTH = 4_000;
