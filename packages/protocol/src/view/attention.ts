import { isOver, type RunView } from "./types.ts";

const FOUR_HOURS = 4 * 60 * 60 * 1000;

/** Whether a run that is not done has had no event for `afterMs` (four hours when absent). `now` is in epoch milliseconds. */
export function stalled(view: RunView, now: number, afterMs: number = FOUR_HOURS): boolean {
  if (view.state === "done" || isOver(view) || view.updatedAt === undefined) return false;
  return now - Date.parse(view.updatedAt) >= afterMs;
}

/** Whether a person should look at the run: it failed, waits for someone, or is stalled. */
export const needsAttention = (view: RunView, now: number, stalledAfterMs: number = FOUR_HOURS): boolean =>
  view.state === "error" || view.state === "blocked" || stalled(view, now, stalledAfterMs);
