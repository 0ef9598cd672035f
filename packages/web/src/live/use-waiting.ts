import { useMemo } from "react";
import { useActiveRuns } from "./use-runs.ts";
import { type Waiting, waitingIn } from "./waiting-in.ts";

/** What waits for a person now. */
export function useWaiting(): Waiting {
  const runs = useActiveRuns();
  return useMemo(() => waitingIn(runs), [runs]);
}
