import type { RunSpan, SpanKind } from "./types.ts";

/**
 * What each instant counts as: the first of these that holds. A run waits for a person, or for the next attempt of a model
 * call, or a tool or subagent works, or a turn is open and the model works, or nothing of this.
 */
export const timePartNames = ["waiting", "retrying", "tool", "model", "idle"] as const;
export type TimePart = (typeof timePartNames)[number];

/** How long each part took, in milliseconds. The parts add up to `whole`. */
export type TimeParts = { readonly [Part in TimePart]: number } & { readonly whole: number };

/** A stretch of time of one part. */
export interface TimeSegment {
  readonly part: TimePart;
  readonly from: number;
  readonly to: number;
}

/** Says where the time between 0 and `now` went. Each instant counts once, so tools that ran in parallel count once. */
export function timeParts(spans: readonly RunSpan[], now: number): TimeParts {
  const parts = { waiting: 0, retrying: 0, tool: 0, model: 0, idle: 0, whole: 0 };
  for (const { part, from, to } of timeSegments(spans, now)) {
    parts[part] += to - from;
    parts.whole += to - from;
  }
  return parts;
}

/** Cuts the time between 0 and `now` into stretches of one part each, without holes. Open spans end at `now`. */
export function timeSegments(spans: readonly RunSpan[], now: number): TimeSegment[] {
  const whole = Number.isFinite(now) ? Math.max(0, now) : 0;
  const changes = changesOf(spans, whole);
  const open = [0, 0, 0, 0];
  const segments: TimeSegment[] = [];
  let at = 0;
  let index = 0;
  while (at < whole) {
    for (; index < changes.length && (changes[index]?.at ?? 0) <= at; index += 1) {
      const { rank, by } = changes[index] as Change;
      open[rank] = (open[rank] ?? 0) + by;
    }
    const next = changes[index]?.at ?? whole;
    const rank = open.findIndex((count) => count > 0);
    add(segments, timePartNames[rank] ?? "idle", at, next);
    at = next;
  }
  return segments;
}

interface Change {
  readonly at: number;
  readonly rank: number;
  readonly by: 1 | -1;
}

/** Indexes into `timePartNames`. A thought is a part of its turn. */
const ranks: { readonly [Kind in SpanKind]?: number } = { wait: 0, retry: 1, tool: 2, subagent: 2, turn: 3 };

function changesOf(spans: readonly RunSpan[], whole: number): Change[] {
  const changes: Change[] = [];
  for (const { kind, from, to = whole } of spans) {
    const rank = ranks[kind];
    const start = Math.max(0, from);
    const end = Math.min(to, whole);
    if (rank === undefined || !(end > start)) continue;
    changes.push({ at: start, rank, by: 1 }, { at: end, rank, by: -1 });
  }
  return changes.sort((one, other) => one.at - other.at);
}

function add(segments: TimeSegment[], part: TimePart, from: number, to: number): void {
  const before = segments.at(-1);
  if (before?.part === part) segments[segments.length - 1] = { part, from: before.from, to };
  else segments.push({ part, from, to });
}
