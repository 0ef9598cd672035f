type Stream = "stdout" | "stderr";

/** Pieces of output wait until there are this many bytes of them, or for this long. */
const BATCH_BYTES = 64 * 1024;
const BATCH_MS = 50;

/** Collects the output of a command: it tells it in batches, and keeps it whole, both streams in the order of arrival. */
export class OutputBatches {
  readonly bytes: Record<Stream, number> = { stdout: 0, stderr: 0 };
  readonly #tell: (stream: Stream, text: string) => void;
  readonly #pieces: string[] = [];
  #waiting: [Stream, string][] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (stream: Stream, text: string) => void) {
    this.#tell = tell;
  }

  /** The whole output so far. */
  get text(): string {
    return this.#pieces.join("");
  }

  add(stream: Stream, text: string): void {
    const size = Buffer.byteLength(text);
    this.bytes[stream] += size;
    this.#pieces.push(text);
    const last = this.#waiting.at(-1);
    if (last?.[0] === stream) last[1] += text;
    else this.#waiting.push([stream, text]);
    this.#size += size;
    if (this.#size >= BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    for (const [stream, text] of waiting) this.#tell(stream, text);
  }
}
