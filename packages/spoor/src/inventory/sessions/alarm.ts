import { type FSWatcher, watch } from "node:fs";

/**
 * Goes off when something in a watched folder changes, after a time, or when it is called off. The system's word is only
 * a reason to look sooner: it is not to be had everywhere, and not to be relied on.
 */
export function createAlarm(signal: AbortSignal | undefined) {
  const watchers = new Map<string, FSWatcher>();
  let isDue = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    isDue = true;
    wake?.();
  };
  signal?.addEventListener("abort", ring);

  return {
    /** These too, from now on. Folder by folder: watching below one means a watch for every file on some systems. */
    watch(folders: Iterable<string>): void {
      for (const folder of folders) {
        if (watchers.has(folder)) continue;
        try {
          const watcher = watch(folder, { persistent: false }, ring);
          watchers.set(folder, watcher);
          watcher.on("error", () => {
            watcher.close();
            watchers.delete(folder);
          });
        } catch {
          // There is no such folder yet, or there are too many.
        }
      }
    },
    async next(afterMs: number): Promise<void> {
      const timer = setTimeout(ring, afterMs);
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
      signal?.removeEventListener("abort", ring);
    },
  };
}
