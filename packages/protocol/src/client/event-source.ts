import type { AllEventsQuery } from "../api/requests.ts";
import { type Beginning, type Granularity, granularities } from "../api/values.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { clientError } from "./errors.ts";
import type { Query } from "./http.ts";

/** What a subscription follows, and how far it has read: one run by sequence, or all runs by position. */
export interface Source {
  readonly path: string;
  /** The query for the events after the cursor. */
  query(): Query;
  /** The sequence or position of the last accepted event; before the first, the start. */
  readonly cursor: number;
  /** Where reading began; -1 is the beginning of the log. */
  readonly start: number;
  /** Sets the start that the server chose. Only sources that leave the start to the server have this. */
  begin?(after: number): void;
  /** Whether the run's terminal event was accepted. */
  readonly over: boolean;
  /**
   * Returns undefined for an event that was accepted before. Throws `broken_stream` when events before it are missing. A
   * source of all runs needs the position of the event.
   */
  accept(envelope: Envelope, position?: number): Received | undefined;
  /**
   * The server says that it sent everything up to this cursor: what did not arrive was left out, because nobody asked for it.
   * Throws `broken_stream` when nothing is left out and events are missing.
   */
  skip(to: number): void;
}

/** An event with its cursor: its sequence, or its position when all runs are followed. */
export interface Received {
  readonly cursor: number;
  readonly envelope: Envelope;
}

export function runSource(
  runId: string,
  { after = -1, granularity }: { after?: number | undefined; granularity?: Granularity | undefined } = {},
): Source {
  // Coarser granularities leave sequences out.
  const gapFree = granularity === undefined || granularity === granularities[0];
  let cursor = after;
  let over = false;
  return {
    path: `/v1/runs/${encodeURIComponent(runId)}/events`,
    query: () => ({ after_sequence: cursor, granularity }),
    start: after,
    get cursor() {
      return cursor;
    },
    get over() {
      return over;
    },
    accept(envelope) {
      if (envelope.sequence <= cursor) return undefined;
      if (gapFree && firstCovered(envelope) > cursor + 1) throw missing(cursor, envelope.sequence);
      cursor = envelope.sequence;
      over ||= isTerminalRunType(envelope.type);
      return { cursor, envelope };
    },
    skip(to) {
      if (gapFree && to > cursor) throw missing(cursor, to);
      cursor = Math.max(cursor, to);
    },
  };
}

const missing = (cursor: number, sent: number) =>
  clientError("broken_stream", `Events are missing: after sequence ${cursor} the server sent ${sent}.`);

/** Filters for the events of all runs. */
export interface AllFilters extends Omit<AllEventsQuery, "after_sequence" | "from" | "since" | "limit" | "event_type"> {
  event_type?: string | readonly string[];
}

/** Where reading of all runs begins: at most one of these. Without any, at the first event. */
export interface AllStart {
  /** Only events after this position. */
  after?: number | undefined;
  /** `now`: only events committed after the server's first answer. */
  from?: Beginning | undefined;
  /** Start with the first event at or after this time. A string must be RFC 3339. */
  since?: string | Date | undefined;
}

export function startQuery({ after, from, since }: AllStart): Query {
  if ([after, from, since].filter((given) => given !== undefined).length > 1) {
    throw clientError("bad_start", "after, from and since are mutually exclusive, and several were given.");
  }
  if (from !== undefined) return { from };
  if (since !== undefined) return { since: typeof since === "string" ? since : since.toISOString() };
  return { after_sequence: after ?? -1 };
}

/** Positions increase and may skip numbers, so only the server can know that no event is missing. */
export function allSource({ event_type, ...filters }: AllFilters, start: AllStart): Source {
  const first = startQuery(start);
  let startPosition = start.after ?? -1;
  let cursor = startPosition;
  // After the server has sent the position of the start, later connections continue from there.
  let hasBegun = first.after_sequence !== undefined;
  return {
    path: "/v1/events/stream",
    query: () => ({ ...(hasBegun ? { after_sequence: cursor } : first), ...filters, ...eventTypes(event_type) }),
    get cursor() {
      return cursor;
    },
    get start() {
      return startPosition;
    },
    begin(after) {
      if (hasBegun) return;
      cursor = after;
      startPosition = after;
      hasBegun = true;
    },
    over: false,
    accept(envelope, position) {
      if (position === undefined)
        throw clientError("broken_stream", "The server sent an event of all runs without a valid position.");
      if (position <= cursor) return undefined;
      cursor = position;
      hasBegun = true;
      return { cursor, envelope };
    },
    skip(to) {
      cursor = Math.max(cursor, to);
      hasBegun = true;
    },
  };
}

export const eventTypes = (event_type: string | readonly string[] | undefined): Query =>
  event_type === undefined ? {} : { event_type: [event_type].flat().join(",") };

/** The first sequence that an event covers. A gap event has the last missing sequence and covers all of them. */
function firstCovered({ type, data, sequence }: Envelope): number {
  const first = type === "gap.events_pruned" ? data.first_pruned_sequence : data.first_lost_sequence;
  return type.startsWith("gap.events_") && typeof first === "number" ? first : sequence;
}

/** Reads an envelope from a frame. */
export function readEnvelope(text: string): Envelope {
  try {
    const envelope: unknown = JSON.parse(text);
    if (isEnvelope(envelope)) return envelope;
  } catch {
    // Reported below, like JSON that is not an envelope.
  }
  throw clientError("broken_stream", `A frame does not contain an envelope: ${text.slice(0, 80)}`);
}

/** Checks only the fields that following needs. The reader can validate the rest. */
export function isEnvelope(value: unknown): value is Envelope {
  const { sequence, type, run_id, data } = (value ?? {}) as Partial<Envelope>;
  return (
    Number.isSafeInteger(sequence) &&
    typeof type === "string" &&
    typeof run_id === "string" &&
    typeof data === "object" &&
    data !== null
  );
}
