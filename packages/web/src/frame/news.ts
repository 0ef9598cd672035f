import type { RunRecord } from "@spoor/protocol/client";
import { type ShownState, shownState } from "../ui/run-state.ts";

/**
 * What happened between two lists that people should hear of: runs that ask for something new, and runs that ended. What
 * was there when the page was opened is no news, and neither is a run that was over when it came into the list.
 */
export function news(
  before: readonly RunRecord[] | undefined,
  after: readonly RunRecord[],
): { run: RunRecord; group: ShownState["group"] }[] {
  if (!before) return [];
  const known = new Map(before.map((run) => [run.run_id, run]));
  return after.flatMap((run) => {
    const earlier = known.get(run.run_id);
    const group = groupOf(run);
    const was = earlier && groupOf(earlier);
    const asksMore = group === "needs" && (was !== "needs" || (run.pending ?? 0) > (earlier?.pending ?? 0));
    const hasEnded = group === "over" && was !== undefined && was !== "over";
    return asksMore || hasEnded ? [{ run, group }] : [];
  });
}

/** Whether a run is stalled does not matter here, so neither does the time. */
const groupOf = (run: RunRecord): ShownState["group"] => shownState(run, 0).group;

/**
 * The runs of several lists, each once, and those that went on before and are on none of the lists now: they may have
 * ended, which their row says.
 */
export function withThoseBefore(
  before: readonly RunRecord[] | undefined,
  listed: readonly RunRecord[],
  rowOf: (runId: string) => RunRecord | "missing" | undefined,
): RunRecord[] {
  const runs = new Map(listed.map((run) => [run.run_id, run]));
  for (const { run_id, ended_at } of before ?? []) {
    const row = runs.has(run_id) || ended_at !== undefined ? undefined : rowOf(run_id);
    if (row !== undefined && row !== "missing") runs.set(run_id, row);
  }
  return [...runs.values()];
}
