import { once } from "node:events";
import type { Writable } from "node:stream";

/** The state of the reader of our standard output. */
export interface StdoutWatch {
  readonly isGone: boolean;
  /** Returns what to wait for before printing more (backpressure); undefined if there is nothing to wait for. */
  drained(): Promise<unknown> | undefined;
  /** Restores the error listeners of the stream. */
  release(): void;
}

/**
 * Calls `onGone` when nobody reads the stream any more: `spoor run … | head -1`, or a closed terminal. Other commands exit at
 * once then; a run must stop its agent and record the end first, so this replaces the usual error listeners meanwhile.
 */
export function watchStdout(stream: Writable, onGone: (error: NodeJS.ErrnoException) => void): StdoutWatch {
  const usual = stream.listeners("error") as ((error: Error) => void)[];
  let isGone = false;
  const onError = (error: Error) => {
    if (!isGone) onGone(error);
    isGone = true;
  };
  for (const listener of usual) stream.off("error", listener);
  stream.on("error", onError);
  return {
    get isGone() {
      return isGone;
    },
    drained: () => (!isGone && stream.writableNeedDrain ? once(stream, "drain").catch(() => {}) : undefined),
    release() {
      // Further errors of the stream can still come, and they must not end the process.
      if (isGone) return;
      stream.off("error", onError);
      for (const listener of usual) stream.on("error", listener);
    },
  };
}
