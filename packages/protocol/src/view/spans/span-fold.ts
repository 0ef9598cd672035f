import { canonical } from "../../envelope/aliases.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { spanHandlers } from "./span-handlers.ts";
import { SpanList } from "./span-list.ts";
import type { RunSpans } from "./types.ts";

/** Finds what the time of one run was spent on. */
export interface SpanFold {
  /** Applies the next envelope. Never throws. Returns false when it was delivered before or is not an envelope. */
  fold(envelope: Envelope): boolean;
  /** Returns the spans so far. It is the same object until something changes. Unchanged spans are the same objects. */
  snapshot(): RunSpans;
}

/**
 * Creates a fold that turns the envelopes of one run into spans of time: turns, thoughts, tool calls, subagents, waits and
 * retries, and into the steps of its cost. The order of events is their sequence: when a clock went backwards, the time
 * of an event is that of the event before it. Events of any granularity can be given.
 *
 * @example
 * ```ts
 * import { createSpanFold, type Envelope, timeParts } from "@spoor/protocol";
 *
 * declare const envelopes: AsyncIterable<Envelope>;
 * const run = createSpanFold();
 * for await (const envelope of envelopes) run.fold(envelope);
 * const { spans, end, last } = run.snapshot();
 * console.log(timeParts(spans, end ?? last));
 * ```
 */
export function createSpanFold(): SpanFold {
  const list = new SpanList();
  let current: RunSpans | undefined;
  return {
    fold(envelope) {
      if (typeof envelope !== "object" || envelope === null || typeof envelope.type !== "string") return false;
      if (!Number.isSafeInteger(envelope.sequence) || envelope.sequence <= list.lastSequence) return false;
      current = undefined;
      list.lastSequence = envelope.sequence;
      list.last = timeOf(list, envelope.occurred_at);
      const { type, data } = named(envelope);
      spanHandlers.get(type)?.(list, data, { at: list.last, sequence: envelope.sequence });
      return true;
    },
    snapshot() {
      current ??= list.snapshot();
      return current;
    },
  };
}

/** Folds a list of envelopes into the spans of their run. */
export function spansOf(envelopes: Iterable<Envelope>): RunSpans {
  const run = createSpanFold();
  for (const envelope of envelopes) run.fold(envelope);
  return run.snapshot();
}

function timeOf(list: SpanList, occurredAt: unknown): number {
  const time = typeof occurredAt === "string" ? Date.parse(occurredAt) : Number.NaN;
  if (!Number.isFinite(time)) return list.last;
  list.origin ??= time;
  return Math.max(list.last, time - list.origin);
}

const nothing = {};

function named(envelope: Envelope): { type: string; data: Readonly<Record<string, unknown>> } {
  const { type, data } = envelope;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return { type, data: nothing };
  // Only few types have another name, and renaming looks at each field.
  return type.startsWith("model.") || "model_call_index" in data ? canonical(envelope) : envelope;
}
