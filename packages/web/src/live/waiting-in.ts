import type { RunRecord } from "@spoor/protocol/client";
import { shownState } from "../ui/run-state.ts";

/** The runs that wait for a person. */
export interface Waiting {
  readonly runs: readonly RunRecord[];
  /** How many things wait: every request, and every paused run. */
  readonly count: number;
  /** How many of them can be answered among the approvals. */
  readonly requests: number;
}

export function waitingIn(runs: readonly RunRecord[]): Waiting {
  // Whether a run is stalled does not matter here, so neither does the time.
  const waiting = runs.filter((run) => shownState(run, 0).group === "needs");
  const asking = waiting.filter((run) => shownState(run, 0).id !== "paused");
  const requests = asking.reduce((sum, { pending = 0 }) => sum + Math.max(1, pending), 0);
  return { runs: waiting, requests, count: requests + waiting.length - asking.length };
}
