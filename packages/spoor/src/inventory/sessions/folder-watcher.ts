import { type FSWatcher, watch } from "node:fs";

/**
 * Waits for changes in folders. Not every system reports changes, and none reports all of them, so `next` also returns after
 * a time, and the caller must look for changes itself.
 */
export function createFolderWatcher(signal: AbortSignal | undefined) {
  const watchers = new Map<string, FSWatcher>();
  let isDue = false;
  let wake: (() => void) | undefined;
  const onChange = (): void => {
    isDue = true;
    wake?.();
  };
  signal?.addEventListener("abort", onChange);

  return {
    /** Adds folders. Subfolders are not included, because some systems would need one watch for every file in them. */
    watch(folders: Iterable<string>): void {
      for (const folder of folders) {
        if (watchers.has(folder)) continue;
        try {
          const watcher = watch(folder, { persistent: false }, onChange);
          watchers.set(folder, watcher);
          watcher.on("error", () => {
            watcher.close();
            watchers.delete(folder);
          });
        } catch {
          // The folder does not exist yet, or the system allows no more watches.
        }
      }
    },
    /** Resolves after the next change, after `afterMs`, or when the signal is aborted. */
    async next(afterMs: number): Promise<void> {
      const timer = setTimeout(onChange, afterMs);
      if (!isDue && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      clearTimeout(timer);
      isDue = false;
      wake = undefined;
    },
    close(): void {
      for (const watcher of watchers.values()) watcher.close();
      signal?.removeEventListener("abort", onChange);
    },
  };
}
