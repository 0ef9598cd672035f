import type { Writable } from "node:stream";

export interface Input {
  /**
   * Resolves to true when the system has accepted the text, so awaiting it applies backpressure. Resolves to false when the
   * process has closed its input, which it may do at any time.
   */
  write(text: string): Promise<boolean>;
  /** Ends the input after everything written so far. */
  endInput(): void;
}

export function createInput(stdin: Writable | null): Input {
  // `write` reports a broken pipe to its caller.
  stdin?.on("error", () => {});
  return {
    async write(text) {
      if (stdin === null)
        throw new Error('This process was started without input. Start it with stdin: "pipe" to write to it.');
      return new Promise((resolve) => stdin.write(text, (error) => resolve(error === null || error === undefined)));
    },
    endInput() {
      stdin?.end();
    },
  };
}
