import type { Log } from "../../log/log.ts";

/** Looks after the artifacts of a log as long as it is served. */
export interface ArtifactUpkeep {
  /** Waits for a round that has begun. */
  close(): Promise<void>;
}

/**
 * Settles changes of files that a crash cut off, at once and every few minutes, and removes contents that nobody names, once an hour. An error is
 * reported and the work is tried again in the next round.
 */
export function startArtifactUpkeep(
  log: Log,
  directory: string,
  onFault: (error: unknown) => void = () => {},
): ArtifactUpkeep {
  let rounds = 0;
  let working: Promise<void> = round();
  const timer = setInterval(() => {
    working = working.then(round);
  }, ROUND_MS).unref();

  async function round(): Promise<void> {
    const isCollecting = rounds % ROUNDS_AN_HOUR === ROUNDS_AN_HOUR - 1;
    rounds += 1;
    try {
      const { recoverPending } = await import("./recover.ts");
      await recoverPending(log, directory);
      if (!isCollecting) return;
      const { collectBlobs } = await import("./collect.ts");
      await collectBlobs(log, directory);
    } catch (error) {
      if (!log.closed.aborted) onFault(error);
    }
  }

  return {
    async close() {
      clearInterval(timer);
      await working;
    },
  };
}

const ROUND_MS = 300_000;
const ROUNDS_AN_HOUR = 12;
