import type { TimeSegment } from "@spoor/protocol";

/** Idle times longer than this are folded into a break. */
const FOLD_IDLE_MS = 10 * 60_000;
export const BREAK_PX = 24;
/** The shortest stretch of time that can be looked at. */
const CLOSEST_MS = 5;

/** A stretch of time that is folded into a break of the picture. */
export interface Break {
  readonly from: number;
  readonly to: number;
}

/** The part of the run that is in view, in milliseconds since its beginning. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Translates between times and places on the screen. Places outside of 0 and the width are valid. */
export interface Scale {
  readonly range: Range;
  readonly width: number;
  readonly breaks: readonly Break[];
  x(time: number): number;
  time(x: number): number;
}

export const breaksOf = (segments: readonly TimeSegment[]): Break[] =>
  segments
    .filter(({ part, from, to }) => part === "idle" && to - from > FOLD_IDLE_MS)
    .map(({ from, to }) => ({ from, to }));

/** Time outside of breaks is drawn to one scale; each break takes the same few pixels, however long it is. */
export function createScale(range: Range, width: number, breaks: readonly Break[] = []): Scale {
  const inView = at(range.to, breaks).folded - at(range.from, breaks).folded;
  const start = at(range.from, breaks);
  const shown = at(range.to, breaks).active - start.active;
  // With very many breaks in view, they share half of the width.
  const breakWidth = shown > 0 ? Math.min(BREAK_PX, width / 2 / Math.max(inView, 1)) : width / (inView || 1);
  const perMs = shown > 0 ? (width - breakWidth * inView) / shown : 0;
  const x = (time: number): number => {
    const { active, folded } = at(time, breaks);
    return (active - start.active) * perMs + (folded - start.folded) * breakWidth;
  };
  return { range, width, breaks, x, time: (place) => timeAt(place, x, breaks, perMs, range) };
}

/** How much time outside of breaks has passed, and how many breaks; inside a break, a part of one. */
function at(time: number, breaks: readonly Break[]): { active: number; folded: number } {
  let [active, folded] = [time, 0];
  for (const { from, to } of breaks) {
    if (time <= from) break;
    const passed = Math.min(time, to) - from;
    active -= passed;
    folded += passed / (to - from);
  }
  return { active, folded };
}

function timeAt(
  place: number,
  x: (time: number) => number,
  breaks: readonly Break[],
  perMs: number,
  range: Range,
): number {
  let known = { x: x(0), time: 0 };
  for (const { from, to } of breaks) {
    const [left, right] = [x(from), x(to)];
    if (place <= left) break;
    if (place < right) return from + ((place - left) / (right - left)) * (to - from);
    known = { x: right, time: to };
  }
  return perMs > 0 ? known.time + (place - known.x) / perMs : range.from;
}

/** The range after zooming by `factor` (below 1 shows less time) around a place, which stays where it is. */
export function zoom({ width, time, range }: Scale, place: number, factor: number, whole: number): Range {
  const left = place - place * factor;
  const next = { from: time(left), to: time(left + width * factor) };
  const isTooClose = next.to - next.from < CLOSEST_MS && factor < 1;
  return isTooClose ? range : within(next, whole);
}

/** The range after the picture was dragged by some pixels. It stops at both ends of the run. */
export function pan({ width, time, x }: Scale, pixels: number, whole: number): Range {
  const [left, right] = [x(0), x(whole)];
  const moved = Math.max(left, Math.min(-pixels, Math.max(right - width, left)));
  return within({ from: time(moved), to: time(moved + width) }, whole);
}

/** Keeps a range inside of the run. */
export function within({ from, to }: Range, whole: number): Range {
  const end = Math.max(whole, CLOSEST_MS);
  const start = Math.min(Math.max(0, from), end - CLOSEST_MS);
  return { from: start, to: Math.min(Math.max(to, start + CLOSEST_MS), end) };
}

/** A range around something, with some air. */
export const around = ({ from, to }: Range, whole: number): Range => {
  const air = Math.max((to - from) * 0.04, CLOSEST_MS / 2);
  return within({ from: from - air, to: to + air }, whole);
};
