import type { TapeLine } from "../../log/log.ts";
import { createHiding, type RecordedParts } from "../redaction/hide-parts.ts";
import type { Redactor } from "../redaction/index.ts";
import { createLineRedactor } from "../redaction/lines.ts";
import { type TapeStart, writeHeader } from "../tape/header.ts";
import type { Outbox } from "./outbox.ts";
import type { RecordingLimit } from "./recording-limit.ts";

/** How long a line may be held back while its end may be the start of a secret. */
const HOLD_MS = 500;

export interface TapeWriterOptions extends RecordedParts {
  run_id: string;
  outbox: Outbox;
  redactor: Redactor;
  limit: RecordingLimit;
}

/** Stores the raw lines of an agent process, without secrets and without the parts that are not to be recorded. */
export class TapeWriter {
  readonly #options: TapeWriterOptions;
  readonly #hide: (line: string) => string;
  readonly #redactor: ReturnType<typeof createLineRedactor>;
  #release: NodeJS.Timeout | undefined;

  constructor(options: TapeWriterOptions) {
    this.#options = options;
    this.#hide = createHiding(options);
    this.#redactor = createLineRedactor(options.redactor);
  }

  start(at: number, start: TapeStart): void {
    this.line({ at, from: "stdin", text: writeHeader(start, this.#options) });
  }

  line({ at, from, text }: TapeLine): void {
    this.#write(this.#redactor.push({ at, from, text: this.#hide(text) }));
    if (!this.#redactor.isHolding) return;
    this.#release ??= setTimeout(() => {
      this.#release = undefined;
      this.#write(this.#redactor.release());
    }, HOLD_MS).unref();
  }

  /** Call this when no more lines follow. */
  end(): void {
    clearTimeout(this.#release);
    this.#write(this.#redactor.flush());
  }

  #write(lines: readonly TapeLine[]): void {
    const { limit, outbox, run_id } = this.#options;
    if (lines.length === 0 || limit.isReached) return;
    limit.add(lines.map(({ text }) => text));
    outbox.addTape(run_id, lines);
  }
}
