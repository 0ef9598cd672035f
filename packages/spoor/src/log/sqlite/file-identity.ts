import { statSync } from "node:fs";
import { LogError } from "../errors.ts";

/** How often to look, in milliseconds. */
const INTERVAL_MS = 1_000;

/**
 * Returns a function that throws when the file at a path is no longer the one that was opened. A file that was removed or
 * replaced accepts every write without an error, and all of them are lost.
 */
export function createFileCheck(path: string): () => void {
  const opened = identityOf(path);
  let nextCheck = performance.now() + INTERVAL_MS;
  return () => {
    const now = performance.now();
    if (now < nextCheck) return;
    nextCheck = now + INTERVAL_MS;
    if (identityOf(path) !== opened)
      throw new LogError("removed", `The log's file ${path} was removed or replaced while the log was open.`);
  };
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}/${stats.ino}`;
}
