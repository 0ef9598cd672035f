import { existsSync } from "node:fs";
import path from "node:path";
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
      if (await hasPending(log)) {
        // Loaded only when needed, because a server should start fast, and usually nothing was cut off.
        const { recoverPending } = await import("./recover.ts");
        await recoverPending(log, directory);
      }
      if (existsSync(path.join(directory, "changes"))) {
        const { settleEndedRuns } = await import("./file-changes.ts");
        await settleEndedRuns(log, directory);
      }
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

/** Null comes last in this order, so a row with an intent would be the first. */
async function hasPending(log: Log): Promise<boolean> {
  const { rows } = await log.rows.list("artifacts", { order: "pending", descending: true, limit: 1 });
  return rows.some(({ pending }) => pending !== null);
}

const ROUND_MS = 300_000;
const ROUNDS_AN_HOUR = 12;
