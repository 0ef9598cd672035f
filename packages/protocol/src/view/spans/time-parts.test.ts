import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeParts, timeSegments } from "./time-parts.ts";
import type { RunSpan, SpanKind } from "./types.ts";

const kinds: readonly SpanKind[] = ["turn", "thinking", "tool", "subagent", "wait", "retry"];

const anySpans = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      from: fc.integer({ min: -20, max: 300 }),
      length: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
    }),
    { maxLength: 40 },
  )
  .map((spans) =>
    spans.map(({ kind, from, length }, sequence): RunSpan => {
      const span = { kind, from, sequence };
      return length === undefined ? span : { ...span, to: from + length };
    }),
  );
const anyNow = fc.integer({ min: 0, max: 320 });

describe("where the time went", () => {
  it("adds up to the whole, and each instant counts as the first part that holds", () => {
    fc.assert(
      fc.property(anySpans, anyNow, (spans, now) => {
        const parts = timeParts(spans, now);
        expect(parts.whole).toBe(now);
        expect(parts.waiting + parts.retrying + parts.tool + parts.model + parts.idle).toBe(now);
        expect(parts).toEqual(countedByHand(spans, now));
      }),
    );
  });

  it("is a list of stretches without holes, and no two neighbours are of one part", () => {
    fc.assert(
      fc.property(anySpans, anyNow, (spans, now) => {
        const segments = timeSegments(spans, now);
        expect(segments[0]?.from ?? 0).toBe(0);
        expect(segments.at(-1)?.to ?? 0).toBe(now);
        for (const [index, segment] of segments.entries()) {
          expect(segment.to).toBeGreaterThan(segment.from);
          const next = segments[index + 1];
          if (next)
            expect([next.from, next.part]).toEqual([segment.to, expect.not.stringMatching(`^${segment.part}$`)]);
        }
      }),
    );
  });

  it("does not depend on the order of the spans", () => {
    fc.assert(
      fc.property(anySpans, anyNow, (spans, now) => {
        expect(timeParts([...spans].reverse(), now)).toEqual(timeParts(spans, now));
      }),
    );
  });

  it("is nothing for a run without time", () => {
    for (const now of [0, -5, Number.NaN]) {
      expect(timeParts([{ kind: "turn", from: 0, sequence: 0 }], now).whole).toBe(0);
    }
  });
});

/** Looks at each millisecond by itself. */
function countedByHand(spans: readonly RunSpan[], now: number) {
  const parts = { waiting: 0, retrying: 0, tool: 0, model: 0, idle: 0, whole: now };
  for (let at = 0; at < now; at += 1) {
    const open = new Set(spans.filter(({ from, to = now }) => from <= at && at < to).map(({ kind }) => kind));
    if (open.has("wait")) parts.waiting += 1;
    else if (open.has("retry")) parts.retrying += 1;
    else if (open.has("tool") || open.has("subagent")) parts.tool += 1;
    else if (open.has("turn")) parts.model += 1;
    else parts.idle += 1;
  }
  return parts;
}
