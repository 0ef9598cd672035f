import { isOver, type RunView } from "./types.ts";

const FOUR_HOURS = 4 * 60 * 60 * 1000;

/** Whether nothing was heard of the run for so long although it is not done. `now` is in epoch milliseconds. */
export function stalled(view: RunView, now: number, afterMs: number = FOUR_HOURS): boolean {
  if (view.state === "done" || isOver(view) || view.updatedAt === undefined) return false;
  return now - Date.parse(view.updatedAt) >= afterMs;
}

/** Whether a person should look: the run failed, waits for someone, or went silent. */
export const needsAttention = (view: RunView, now: number, stalledAfterMs: number = FOUR_HOURS): boolean =>
  view.state === "error" || view.state === "blocked" || stalled(view, now, stalledAfterMs);
