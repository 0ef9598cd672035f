import type { Writable } from "node:stream";

export interface Input {
  /**
   * Resolves when the system has taken the text, so awaiting it is backpressure; `false` when the process no longer
   * reads, which any process may choose at any time.
   */
  write(text: string): Promise<boolean>;
  /** The process sees the end of its input, after all that was written. */
  endInput(): void;
}

export function createInput(stdin: Writable | null): Input {
  // A broken pipe is told to whoever writes.
  stdin?.on("error", () => {});
  return {
    async write(text) {
      if (stdin === null) throw new Error('This process has no input. Spawn it with stdin: "pipe" to write to it.');
      return new Promise((resolve) => stdin.write(text, (error) => resolve(error === null || error === undefined)));
    },
    endInput() {
      stdin?.end();
    },
  };
}
