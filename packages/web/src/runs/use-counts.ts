import type { RunCounts } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import { client } from "../live/client.ts";
import { useRuns } from "../live/use-runs.ts";

/** At most this often the counts are read again. */
const EVERY_MS = 2000;

/** How many runs the log has, by state. Read again after something changed. */
export function useCounts(): RunCounts | undefined {
  const { runs } = useRuns();
  const [counts, set] = useState<RunCounts>();
  const key = runs.map(({ run_id, state }) => `${run_id}${state}`).join();
  const [due, setDue] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `due` asks for it again
  useEffect(() => {
    const end = new AbortController();
    client.runs
      .list({ limit: 1, counts: true }, { signal: end.signal })
      .then((answer) => set(answer.counts))
      .catch(() => {});
    return () => end.abort();
  }, [due]);

  useEffect(() => {
    if (key === "") return;
    const timer = setTimeout(() => setDue((before) => before + 1), EVERY_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return counts;
}
