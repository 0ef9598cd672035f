import type { Signal } from "../agents/signal.ts";

/** What a process last wrote to standard error: a crash carries it, also where the agent's wire has no eye for it. */
export class LastWords {
  #text = "";

  add(line: string): void {
    this.#text = `${this.#text}${line}\n`.slice(-4_000);
  }

  /** What the end of the process tells, with them. */
  giveTo(signals: readonly Signal[]): Signal[] {
    return signals.map((signal) =>
      signal.kind === "fail" && signal.event.type === "crash" && signal.event.stderr === ""
        ? { ...signal, event: { ...signal.event, stderr: this.#text } }
        : signal,
    );
  }
}
