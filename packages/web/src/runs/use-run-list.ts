import type { RunsQuery } from "@spoor/protocol/client";
import { useMemo } from "react";
import type { RunsSnapshot } from "../live/runs-store.ts";
import { useActiveRuns, useRuns } from "../live/use-runs.ts";

/**
 * The runs that a query finds in the whole log. Without a query: the newest runs, and those that are not over yet, which
 * stand on top however old they are.
 */
export function useRunList(query: RunsQuery | undefined): RunsSnapshot {
  const found = useRuns(query);
  const active = useActiveRuns();
  const isWhole = query === undefined;
  const runs = useMemo(() => {
    if (!isWhole) return found.runs;
    const known = new Set(found.runs.map(({ run_id }) => run_id));
    return [...found.runs, ...active.filter(({ run_id }) => !known.has(run_id))];
  }, [isWhole, found.runs, active]);
  return { ...found, runs };
}
