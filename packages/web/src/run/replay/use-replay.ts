import { createContext, use, useEffect, useMemo, useSyncExternalStore } from "react";
import { linesOfRun } from "../../events/read-lines.ts";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { pastSnapshot } from "./past-snapshot.ts";
import { createReplayIndex } from "./replay-index.ts";
import { type ReplayState, ReplayStore } from "./replay-store.ts";
import { timeInUrl } from "./time-in-url.ts";

/** The replay of the run that is open. */
const ReplayContext = createContext<ReplayStore | undefined>(undefined);
export const ReplayProvider = ReplayContext.Provider;

/** Makes the replay of a run. An address with `?at=` opens it at that moment. */
export function useReplayOf(runId: string): ReplayStore {
  const [store, first] = useMemo(
    () => [new ReplayStore(createReplayIndex(linesOfRun(runId)), timeInUrl("at")), timeInUrl("at")],
    [runId],
  );
  useEffect(() => {
    if (first !== undefined) store.seek(first);
    return () => store.close();
  }, [store, first]);
  return store;
}

/** The replay of the run that is open, and what can be done with it. */
export function useReplay(): { store: ReplayStore; state: ReplayState } {
  const store = use(ReplayContext);
  if (!store) throw new Error("This part belongs inside of a run.");
  return { store, state: useSyncExternalStore(store.subscribe, store.read) };
}

/** What the views of the run show: the run as it is or, during replay, as it was. */
export function useShownSnapshot(store: ReplayStore, live: RunSnapshot): RunSnapshot {
  const { at, view } = useSyncExternalStore(store.subscribe, store.read);
  return useMemo(() => {
    if (at === undefined) return live;
    // Until the past is read, nothing that could be acted on is shown.
    return view ? pastSnapshot(live, view, at) : { ...live, replay: { at } };
  }, [live, at, view]);
}
