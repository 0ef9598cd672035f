import type { Run } from "../../run/run.ts";

/** The first Ctrl-C asks the agent to stop, the second ends it. Whoever wants us gone ends it, too: a run has its end recorded. */
export function endOnSignals(handle: Run): () => void {
  let signals = 0;
  const onInterrupt = () => {
    signals += 1;
    if (signals > 1) handle.abort();
    else if (!handle.isEnded) handle.interrupt();
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
