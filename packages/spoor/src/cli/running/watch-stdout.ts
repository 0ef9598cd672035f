import { once } from "node:events";
import type { Writable } from "node:stream";

/** Who reads what a run prints. */
export interface StdoutWatch {
  readonly isGone: boolean;
  /** What to wait for before more is printed; undefined is nothing. */
  room(): Promise<unknown> | undefined;
  /** Whoever listened before does so again. */
  release(): void;
}

/**
 * Tells when nobody reads a stream any more: `spoor run … | head -1`, or a terminal that was closed. Other commands end at
 * once then. A run has an agent to stop and an end to record, so for its time that is not the program's but its own affair.
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
    room: () => (!isGone && stream.writableNeedDrain ? once(stream, "drain").catch(() => {}) : undefined),
    release() {
      // What fails is told later; there is nobody to tell it to.
      if (isGone) return;
      stream.off("error", onError);
      for (const listener of usual) stream.on("error", listener);
    },
  };
}
