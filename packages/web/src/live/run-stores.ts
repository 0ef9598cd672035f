import type { Store } from "../ui/store.ts";
import type { RunSnapshot } from "./run-snapshot.ts";
import { createRunStore, type RunStore, type RunStoreOptions } from "./run-store.ts";

/** A fold is kept this long after the last screen of its run was left, for those who come back. */
const KEEP_MS = 60_000;

interface Entry {
  readonly store: RunStore;
  users: number;
  cancelDrop?: () => void;
}

/** The stores of the runs that are shown, or were shown a moment ago. Screens of the same run share one. */
export function createRunStores(options: RunStoreOptions): { of(runId: string): Store<RunSnapshot> } {
  const stores = new Map<string, Entry>();

  function open(runId: string): Entry {
    const known = stores.get(runId);
    if (known) return known;
    const entry: Entry = { store: createRunStore(runId, options), users: 0 };
    stores.set(runId, entry);
    // Nobody uses it yet: a component that was never shown does not keep it.
    drop(runId);
    return entry;
  }

  function drop(runId: string): void {
    const entry = stores.get(runId);
    if (!entry) return;
    entry.cancelDrop = options.schedule.after(KEEP_MS, () => {
      stores.delete(runId);
      entry.store.close();
    });
  }

  return {
    of: (runId) => ({
      read: () => open(runId).store.read(),
      subscribe(listener) {
        const entry = open(runId);
        entry.users += 1;
        entry.cancelDrop?.();
        const stop = entry.store.subscribe(listener);
        return () => {
          stop();
          entry.users -= 1;
          if (entry.users === 0) drop(runId);
        };
      },
    }),
  };
}
