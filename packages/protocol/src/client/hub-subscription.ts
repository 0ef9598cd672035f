import type { Granularity } from "../api/values.ts";
import type { ServerMessage } from "../api/websocket.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { clientError, errorOfFrame, SpoorClientError } from "./errors.ts";
import { type AllFilters, type AllStart, allSource, isEnvelope, runSource } from "./event-source.ts";
import { acceptResume } from "./follow-stream.ts";

/** What a subscription of a hub follows: one run, or all runs. */
export type HubSelection =
  | { runId: string; after?: number | undefined; granularity?: Granularity | undefined }
  | ({ all: true } & AllFilters & AllStart);

/** Receives what a subscription of a hub follows. */
export interface HubReader {
  /** New events, each once and in order. */
  events(envelopes: readonly Envelope[]): void;
  /** The server continues after the cursor. `gap`: events after the cursor are gone. */
  resumed?(status: "ok" | "gap"): void;
  /** Every event that was committed when the subscription began, or began again, was delivered. */
  caughtUp?(): void;
  /** The run is over, and all its events were delivered. */
  ended?(): void;
  /** The subscription cannot go on, for example because there is no such run. */
  failed?(error: SpoorClientError): void;
}

/** The state of one subscription across connections. */
export interface Following {
  readonly id: string;
  readonly runId: string | undefined;
  readonly reader: HubReader;
  /** The sequence, or position, up to which everything was delivered. */
  readonly cursor: number;
  /** The message that asks for everything after the cursor. Messages about earlier ones are ignored from now on. */
  begin(): object;
  /** Handles a message about this subscription. Throws `broken_stream` when events are missing. */
  receive(message: ServerMessage): Outcome;
}

/** What a message means for its subscription. `events` are the new ones. */
export interface Outcome {
  readonly events: readonly Envelope[];
  readonly resume?: "ok" | "gap";
  readonly caughtUp?: true;
  readonly ended?: true;
}

const nothing: Outcome = { events: [] };

export function createFollowing(name: string, selection: HubSelection, reader: HubReader): Following {
  const isRun = "runId" in selection;
  const source = isRun ? runSource(selection.runId, selection) : sourceOfAll(selection);
  let beginnings = 0;
  let id = name;

  function take(events: readonly Envelope[], next: number): readonly Envelope[] {
    const accepted: Envelope[] = [];
    try {
      if (isRun) for (const envelope of events) if (source.accept(checked(envelope))) accepted.push(envelope);
      // A batch of all runs is whole, so one cursor is enough for it.
      if (!isRun && next > source.cursor) accepted.push(...events.map(checked));
      source.skip(next);
    } finally {
      // The events before a bad one are valid.
      if (accepted.length > 0) reader.events(accepted);
    }
    return accepted;
  }

  return {
    get id() {
      return id;
    },
    runId: isRun ? selection.runId : undefined,
    reader,
    get cursor() {
      return source.cursor;
    },
    begin() {
      beginnings += 1;
      // The server shares the bytes of messages among connections that use the same id.
      id = beginnings === 1 ? name : `${name} ${beginnings}`;
      const what = isRun ? { run_id: selection.runId } : { all: true };
      return { type: "subscribe", id, ...what, ...source.query(), caught_up: true };
    },
    receive(message) {
      switch (message.type) {
        case "resume": {
          const resume = acceptResume(message, source);
          reader.resumed?.(resume);
          return { events: [], resume };
        }
        case "events":
          return { events: take(message.events, message.next_after_sequence) };
        case "caught_up":
          source.skip(message.next_after_sequence);
          reader.caughtUp?.();
          return { events: [], caughtUp: true };
        case "end":
          source.skip(message.next_after_sequence);
          reader.ended?.();
          return { events: [], ended: true };
        case "error": {
          const { code, message: text, hint } = message.error;
          throw final.has(code)
            ? new SpoorClientError(code, text, { retryable: false, hint })
            : errorOfFrame(JSON.stringify(message));
        }
        default:
          return nothing;
      }
    },
  };
}

/** Errors that another attempt cannot avoid. */
const final: ReadonlySet<string> = new Set(["run_not_found", "bad_request", "invalid_body", "invalid_parameter"]);

function sourceOfAll({ all: _, after, from, since, ...filters }: Extract<HubSelection, { all: true }>) {
  return allSource(filters, { after, from, since });
}

function checked(envelope: Envelope): Envelope {
  if (isEnvelope(envelope)) return envelope;
  throw clientError("broken_stream", `An event is not an envelope: ${JSON.stringify(envelope)?.slice(0, 80)}`);
}
