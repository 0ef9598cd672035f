import type { LineCounts, RunView } from "@spoor/protocol";
import { useEffect, useState } from "react";
import { client } from "../../live/client.ts";
import { isSummed } from "./changed-files.ts";

/**
 * What the changes of each file come to, by its path in the run's folder. The server is asked only if a file was changed
 * several times, and again after each further change. `isPast`: as it was after the last event of the view.
 */
export function useSums(runId: string, view: RunView, isPast: boolean): ReadonlyMap<string, LineCounts> | undefined {
  const [read, set] = useState<{ wanted: string; sums: ReadonlyMap<string, LineCounts> }>();
  const isWanted = [...Map.groupBy(view.files, ({ path }) => path).values()].some(isSummed);
  const applied = view.files.filter(({ status }) => status === "applied").length;
  const wanted = isWanted ? JSON.stringify([runId, applied, isPast ? view.lastSequence : null]) : undefined;
  useEffect(() => {
    if (wanted === undefined) return;
    const [id, , through] = JSON.parse(wanted) as [string, number, number | null];
    const end = new AbortController();
    client.runs.diff(id, through === null ? {} : { through: String(through) }, { signal: end.signal }).then(
      ({ files }) => set({ wanted, sums: new Map(files.map(({ path, ...counts }) => [path, counts])) }),
      // Then the edits are added up.
      () => {},
    );
    return () => end.abort();
  }, [wanted]);
  // While a newer answer is on its way, the last one of the same run is nearer to it than the sum of all edits.
  return read !== undefined && wanted !== undefined && runOf(read.wanted) === runId ? read.sums : undefined;
}

const runOf = (wanted: string): unknown => (JSON.parse(wanted) as unknown[])[0];
