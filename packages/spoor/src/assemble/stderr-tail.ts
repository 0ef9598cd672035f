import { createStderrTail } from "../agents/kit/stderr-tail.ts";
import type { Signal } from "../agents/signal.ts";

/** The last lines a process wrote to standard error, for the crash event of dialects that do not read standard error. */
export class StderrTail {
  readonly #tail = createStderrTail();

  add(line: string): void {
    this.#tail.add(line);
  }

  /** Returns the signals, and adds the tail to every crash signal that has no standard error text. */
  addToCrashes(signals: readonly Signal[]): readonly Signal[] {
    return signals.map((signal) =>
      signal.kind === "fail" && signal.event.type === "crash" && signal.event.stderr === ""
        ? { ...signal, event: { ...signal.event, stderr: this.#tail.text() } }
        : signal,
    );
  }
}
