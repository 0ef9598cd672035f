import { type RunSpans, type TimePart, timeParts, timeSegments } from "@spoor/protocol";
import { duration } from "../ui/format.ts";
import { timeNames, timeOrder } from "../ui/time-parts.ts";

/** A stretch of the strip. */
export interface StripPart {
  readonly part: TimePart;
  /** Milliseconds. */
  readonly length: number;
}

/** The strip is drawn with at most so many parts. */
const MOST_PARTS = 120;

/** What the time of a run went to, one after the other. Of long runs only the main part of each stretch is kept. */
export function stripOf({ spans }: Pick<RunSpans, "spans">, length: number): StripPart[] {
  const segments = timeSegments(spans, length);
  if (segments.length <= MOST_PARTS) return segments.map(({ part, from, to }) => ({ part, length: to - from }));
  const step = length / MOST_PARTS;
  const parts: StripPart[] = [];
  let at = 0;
  for (let index = 0; index < MOST_PARTS; index++) {
    const [from, to] = [index * step, (index + 1) * step];
    const sums = new Map<TimePart, number>();
    while (at > 0 && (segments[at]?.from ?? 0) > from) at -= 1;
    for (; at < segments.length && (segments[at]?.from ?? to) < to; at++) {
      const segment = segments[at];
      if (!segment) break;
      const overlap = Math.min(segment.to, to) - Math.max(segment.from, from);
      if (overlap > 0) sums.set(segment.part, (sums.get(segment.part) ?? 0) + overlap);
    }
    const [main] = [...sums].sort(([, one], [, other]) => other - one);
    const last = parts.at(-1);
    if (!main) continue;
    if (last?.part === main[0]) parts[parts.length - 1] = { part: last.part, length: last.length + step };
    else parts.push({ part: main[0], length: step });
  }
  return parts;
}

/** The same in words, for those who do not see the strip. */
export function stripWords({ spans }: Pick<RunSpans, "spans">, length: number): string {
  const parts = timeParts(spans, length);
  const named = timeOrder.filter((part) => parts[part] >= 500 || part === "model");
  return named.map((part) => `${names[part]} ${duration(parts[part])}`).join(", ");
}

export const names: Readonly<Record<TimePart, string>> = { ...timeNames, waiting: "Waiting for you" };

/** Parts that every strip explains, and parts that are explained where they occur. */
export const legendOf = (strips: readonly (readonly StripPart[])[]): TimePart[] => {
  const present = new Set(strips.flat().map(({ part }) => part));
  return timeOrder.filter((part) => part === "model" || part === "tool" || part === "waiting" || present.has(part));
};
