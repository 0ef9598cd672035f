import type { AllEventsQuery } from "../api/requests.ts";
import { type Beginning, type Granularity, granularities } from "../api/values.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { clientError } from "./errors.ts";
import type { Query } from "./http.ts";
import type { SseMessage } from "./sse.ts";

/** What is followed, and how far it was: a run by sequence, or all runs by position. */
export interface Source {
  readonly path: string;
  /** Asks for what comes after the cursor. */
  query(): Query;
  /** Place of the last event accepted; before the first, where reading began. */
  readonly cursor: number;
  /** Where reading began; -1 is the start. */
  readonly start: number;
  /** The server says where reading begins. Only a source that left this to the server takes it. */
  begin?(after: number): void;
  /** Whether the run's terminal event was accepted. */
  readonly over: boolean;
  /** Undefined for what was accepted before. Throws `broken_stream` when something is missing before it. */
  accept(message: SseMessage): Placed | undefined;
}

/** An event with its sequence, or its position where all runs are followed. */
export interface Placed {
  readonly place: number;
  readonly envelope: Envelope;
}

export function runSource(
  runId: string,
  { after = -1, granularity }: { after?: number | undefined; granularity?: Granularity | undefined } = {},
): Source {
  // Coarser views leave sequences out.
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
    accept({ data }) {
      const envelope = readEnvelope(data);
      if (envelope.sequence <= cursor) return undefined;
      if (gapFree && firstCovered(envelope) > cursor + 1) {
        throw clientError("broken_stream", `After sequence ${cursor} came ${envelope.sequence}.`);
      }
      cursor = envelope.sequence;
      over ||= isTerminalRunType(envelope.type);
      return { place: cursor, envelope };
    },
  };
}

export interface AllFilters extends Omit<AllEventsQuery, "after_sequence" | "from" | "since" | "limit" | "event_type"> {
  event_type?: string | readonly string[];
}

/** Where reading of all runs begins; at most one of them may be given. Absent: at the start. */
export interface AllStart {
  /** Only what comes after this position. */
  after?: number | undefined;
  /** `now`: only what is committed after the server first answers. */
  from?: Beginning | undefined;
  /** From the first event at or after this time; a text is RFC 3339. */
  since?: string | Date | undefined;
}

export function startQuery({ after, from, since }: AllStart): Query {
  if ([after, from, since].filter((given) => given !== undefined).length > 1) {
    throw clientError("bad_start", "Give only one of after, from and since: each says where to begin.");
  }
  if (from !== undefined) return { from };
  if (since !== undefined) return { since: typeof since === "string" ? since : since.toISOString() };
  return { after_sequence: after ?? -1 };
}

/** Positions rise and may leave numbers out, so that nothing is missing is up to the server. */
export function allSource({ event_type, ...filters }: AllFilters, start: AllStart): Source {
  const first = startQuery(start);
  let began = start.after ?? -1;
  let cursor = began;
  // Once the server has said which position the start is, later connections go on from there.
  let begun = first.after_sequence !== undefined;
  return {
    path: "/v1/events/stream",
    query: () => ({ ...(begun ? { after_sequence: cursor } : first), ...filters, ...eventTypes(event_type) }),
    get cursor() {
      return cursor;
    },
    get start() {
      return began;
    },
    begin(after) {
      if (begun) return;
      cursor = after;
      began = after;
      begun = true;
    },
    over: false,
    accept({ id, data }) {
      if (!/^\d{1,15}$/.test(id)) throw clientError("broken_stream", `An event came without a position: "${id}".`);
      const envelope = readEnvelope(data);
      if (Number(id) <= cursor) return undefined;
      cursor = Number(id);
      begun = true;
      return { place: cursor, envelope };
    },
  };
}

export const eventTypes = (event_type: AllFilters["event_type"]): Query =>
  event_type === undefined ? {} : { event_type: [event_type].flat().join(",") };

/** A gap stands in the last slot of what is gone, and speaks for all of it. */
function firstCovered({ type, data, sequence }: Envelope): number {
  const first = type === "gap.events_pruned" ? data.first_pruned_sequence : data.first_lost_sequence;
  return type.startsWith("gap.events_") && typeof first === "number" ? first : sequence;
}

/** As much of the envelope's shape as must hold for it to be followed; the rest is the reader's to judge. */
function readEnvelope(text: string): Envelope {
  try {
    const envelope = JSON.parse(text) as Partial<Envelope> | null;
    const { sequence, type, run_id, data } = envelope ?? {};
    if (
      Number.isSafeInteger(sequence) &&
      typeof type === "string" &&
      typeof run_id === "string" &&
      typeof data === "object" &&
      data !== null
    ) {
      return envelope as Envelope;
    }
  } catch {
    // Told below, as for what is JSON and no envelope.
  }
  throw clientError("broken_stream", `A frame holds no envelope: ${text.slice(0, 80)}`);
}
