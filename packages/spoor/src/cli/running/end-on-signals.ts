import type { Run } from "../../run/run.ts";

/**
 * The first Ctrl-C interrupts the agent, which may take its time; `onInterrupted` tells the person so. The second, SIGTERM and
 * SIGHUP abort the run, so that its end is still recorded.
 */
export function endOnSignals(handle: Run, onInterrupted: () => void): () => void {
  let signals = 0;
  const onInterrupt = () => {
    signals += 1;
    if (signals > 1) handle.abort();
    else if (!handle.isEnded) {
      handle.interrupt();
      onInterrupted();
    }
  };
  const onEnd = () => handle.abort();
  process.on("SIGINT", onInterrupt);
  for (const signal of ends) process.on(signal, onEnd);
  return () => {
    process.off("SIGINT", onInterrupt);
    for (const signal of ends) process.off(signal, onEnd);
  };
}

const ends = ["SIGTERM", "SIGHUP"] as const;
