import { statSync } from "node:fs";
import { LogError } from "../errors.ts";

/** How long a file that is gone may go on taking what nobody will find, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * Makes sure that a file is still the one that was opened: one that was removed, or replaced, takes every write without
 * a word and keeps none of them.
 */
export function createPresence(path: string): () => void {
  const opened = identityOf(path);
  let nextLook = performance.now() + LOOK_MS;
  return () => {
    const now = performance.now();
    if (now < nextLook) return;
    nextLook = now + LOOK_MS;
    if (identityOf(path) !== opened) throw new LogError("removed", `${path} was removed or replaced.`);
  };
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}/${stats.ino}`;
}
