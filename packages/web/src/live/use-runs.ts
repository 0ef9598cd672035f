import type { RunRecord, RunsQuery } from "@spoor/protocol/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Store } from "../ui/store.ts";
import { runsStore } from "./live.ts";
import { byAge } from "./matches.ts";
import type { RunsSnapshot } from "./runs-store.ts";

export type { RunsSnapshot } from "./runs-store.ts";

/** The runs that a query finds, newest first and kept up to date: all runs without one. Equal queries share one list. */
export function useRuns(query: RunsQuery = everything): RunsSnapshot {
  const key = JSON.stringify(query);
  const store = useMemo(() => storeOf(key), [key]);
  return useSyncExternalStore(store.subscribe, store.read);
}

/** The runs that are not over, newest first, however old and however many they are. */
export function useActiveRuns(): readonly RunRecord[] {
  return useActive().runs;
}

/** The same, and whether all of them were read. */
export function useActive(): { runs: readonly RunRecord[]; isReady: boolean } {
  const blocked = useWhole(active.blocked);
  const working = useWhole(active.working);
  const idle = useWhole(active.idle);
  return useMemo(() => {
    const lists = [blocked, working, idle];
    const isReady = lists.every(({ state, hasMore }) => state === "ready" && !hasMore);
    return { runs: lists.flatMap(({ runs }) => runs).sort(byAge), isReady };
  }, [blocked, working, idle]);
}

/** A list that is read to its end. After a failure it goes on when the list has been read again. */
function useWhole(query: RunsQuery): RunsSnapshot {
  const list = useRuns(query);
  useEffect(() => {
    if (list.hasMore && list.problem === undefined) list.loadMore();
  }, [list]);
  return list;
}

const everything: RunsQuery = {};

const active = {
  blocked: { state: "blocked", limit: 200 },
  working: { state: "working", limit: 200 },
  idle: { state: "idle", limit: 200 },
} as const satisfies Record<string, RunsQuery>;

const stores = new Map<string, Store<RunsSnapshot>>();

/** Lists that were left are read again when they are shown again; only a few are remembered. */
const MOST_STORES = 20;

function storeOf(key: string): Store<RunsSnapshot> {
  const known = stores.get(key);
  const store = known ?? runsStore(JSON.parse(key) as RunsQuery);
  stores.delete(key);
  stores.set(key, store);
  const [oldest] = stores.size > MOST_STORES ? stores.keys() : [];
  if (oldest !== undefined) stores.delete(oldest);
  return store;
}
