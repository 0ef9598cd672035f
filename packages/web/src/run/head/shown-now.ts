import type { RunSnapshot } from "../../live/run-snapshot.ts";

/** The time at which a run is shown: now, or during replay the moment that is shown. */
export function shownNow({ view, record, replay }: RunSnapshot, now: number): number {
  const began = Date.parse(view.createdAt ?? record?.created_at ?? "");
  return replay && Number.isFinite(began) ? began + replay.at : now;
}
