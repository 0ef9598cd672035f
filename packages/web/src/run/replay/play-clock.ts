import type { TimeSegment } from "@spoor/protocol";

export const speeds = [1, 8, 60] as const;
export type Speed = (typeof speeds)[number];

/** While it is replayed, an idle time or a wait takes no longer than this. */
const CUT_MS = 1_000;

/** Where the head is after `elapsed` milliseconds of playing. Idle times and waits are cut to one second each. */
export function advance(at: number, elapsed: number, speed: Speed, segments: readonly TimeSegment[]): number {
  let rest = elapsed;
  let time = at;
  for (const { part, from, to } of segments) {
    if (to <= time) continue;
    const isCut = part === "idle" || part === "waiting";
    const rate = isCut ? Math.max(speed, (to - from) / CUT_MS) : speed;
    const step = Math.min(rest * rate, to - time);
    time += step;
    rest -= step / rate;
    if (rest <= 0) return time;
  }
  return time;
}
