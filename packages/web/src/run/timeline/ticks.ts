import { momentLabel } from "../replay/moment-label.ts";
import type { Scale } from "./scale.ts";

export interface Tick {
  readonly time: number;
  readonly x: number;
  readonly label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Distances of ticks that people find easy to read. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * HOUR),
];

/** The times that the axis names, at least `apart` pixels from each other and from every break. */
export function ticksOf(scale: Scale, apart = 110): Tick[] {
  const { range, width, breaks } = scale;
  const folded = breaks.reduce((sum, { from, to }) => sum + overlap(range, from, to), 0);
  const perPixel = Math.max(range.to - range.from - folded, 1) / width;
  const step =
    steps.find((length) => length / perPixel >= apart) ?? 24 * HOUR * Math.ceil((perPixel * apart) / 24 / HOUR);
  const ticks: Tick[] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (let time = Math.ceil(range.from / step) * step; time <= range.to && ticks.length < 500; time += step) {
    const inside = breaks.find(({ from, to }) => time > from && time < to);
    if (inside) {
      time = Math.floor(inside.to / step) * step;
      continue;
    }
    const x = scale.x(time);
    if (x - before < apart * 0.6) continue;
    before = x;
    ticks.push({ time, x, label: momentLabel(time, step) });
  }
  return ticks;
}

const overlap = (range: { from: number; to: number }, from: number, to: number): number =>
  Math.max(0, Math.min(range.to, to) - Math.max(range.from, from));
