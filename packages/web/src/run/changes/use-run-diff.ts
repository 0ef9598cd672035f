import { useEffect, useState } from "react";
import { diffsByPath } from "../../diff/diffs-by-path.ts";
import { client } from "../../live/client.ts";

/** What a run changed in each file in all, as it is now or was after an event. Undefined until it was read. */
export function useRunDiff(
  runId: string,
  through: number | undefined,
  version: number,
  isWanted: boolean,
): ReadonlyMap<string, string> | undefined {
  const [read, set] = useState<{ runId: string; files: ReadonlyMap<string, string> }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version means that the diff is another one.
  useEffect(() => {
    if (!isWanted) return;
    const end = new AbortController();
    client.runs
      .diff(runId, through === undefined ? {} : { through: String(through) }, { signal: end.signal })
      .then(({ diff }) => set({ runId, files: diffsByPath(diff) }))
      .catch(() => !end.signal.aborted && set({ runId, files: new Map() }));
    return () => end.abort();
  }, [runId, through, version, isWanted]);
  return read?.runId === runId ? read.files : undefined;
}
