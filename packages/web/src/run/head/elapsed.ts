import type { RunSnapshot } from "../../live/run-snapshot.ts";

/** How long a run has taken, in milliseconds. It stands still once the run is over. */
export function elapsedOf({ record, view }: RunSnapshot, now: number): number | undefined {
  const from = Date.parse(view.createdAt ?? record?.created_at ?? "");
  const end = view.end?.at ?? record?.ended_at;
  const to = end === undefined ? now : Date.parse(end);
  return Number.isFinite(from) && Number.isFinite(to) ? Math.max(0, to - from) : undefined;
}
