import { useMemo, useSyncExternalStore } from "react";
import { runStores } from "./live.ts";
import type { RunSnapshot } from "./run-snapshot.ts";

/** Follows one run while the calling component is mounted. Screens of the same run share one fold. */
export function useRun(runId: string): RunSnapshot {
  const store = useMemo(() => runStores.of(runId), [runId]);
  return useSyncExternalStore(store.subscribe, store.read);
}

/** Begins to read a run that the calling component will show soon. */
export function useReadAhead(runId: string): void {
  useMemo(() => runStores.of(runId).read(), [runId]);
}
