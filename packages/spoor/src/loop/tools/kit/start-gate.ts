type Stream = "stdout" | "stderr";

/** Holds the output of a command back until a mark on stdout says that the sandbox is made and the command has begun. */
export class StartGate {
  readonly #mark: string;
  readonly #onStart: () => void;
  readonly #onOutput: (stream: Stream, text: string) => void;
  readonly #early: Record<Stream, string> = { stdout: "", stderr: "" };
  #hasStarted = false;

  /** Without a mark, the command counts as begun at once. */
  constructor(mark: string | undefined, onStart: () => void, onOutput: (stream: Stream, text: string) => void) {
    this.#mark = mark ?? "";
    this.#onStart = onStart;
    this.#onOutput = onOutput;
    if (this.#mark === "") this.#start();
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** What came before the mark: the complaint of the sandbox. */
  get complaint(): string {
    return this.#early.stderr.trim();
  }

  add(stream: Stream, text: string): void {
    if (this.#hasStarted) {
      this.#onOutput(stream, text);
      return;
    }
    this.#early[stream] += text;
    const at = this.#early.stdout.indexOf(this.#mark);
    if (at < 0) return;
    const { stdout, stderr } = this.#early;
    this.#start();
    const rest = stdout.slice(0, at) + stdout.slice(at + this.#mark.length);
    if (rest !== "") this.#onOutput("stdout", rest);
    if (stderr !== "") this.#onOutput("stderr", stderr);
  }

  #start(): void {
    this.#hasStarted = true;
    this.#onStart();
  }
}
