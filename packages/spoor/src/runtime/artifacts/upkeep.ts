import type { Log } from "../../log/log.ts";

/** Looks after the artifacts of a log as long as it is served. */
export interface ArtifactUpkeep {
  /** Waits for a round that has begun. */
  close(): Promise<void>;
}

/**
 * Settles changes of files that a crash cut off, at once, and removes contents that nobody names, once an hour. An error is
 * reported and the work is tried again in the next round.
 */
export function startArtifactUpkeep(
  log: Log,
  directory: string,
  onFault: (error: unknown) => void = () => {},
): ArtifactUpkeep {
  let working: Promise<void> = round(["recover"]);
  const timer = setInterval(() => {
    working = working.then(() => round(["recover", "collect"]));
  }, HOUR_MS).unref();

  async function round(steps: readonly ("recover" | "collect")[]): Promise<void> {
    try {
      const { recoverPending } = await import("./recover.ts");
      if (steps.includes("recover")) await recoverPending(log, directory);
      if (!steps.includes("collect")) return;
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

const HOUR_MS = 3_600_000;
