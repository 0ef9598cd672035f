import type { ResumeFrame } from "../api/stream.ts";
import { SCHEMA_VERSION } from "../envelope/version.ts";
import { delayAfter } from "./back-off.ts";
import { type Connection, connect } from "./connection.ts";
import { clientError, errorOfFrame, SpoorClientError } from "./errors.ts";
import { type Received, readEnvelope, type Source } from "./event-source.ts";
import type { Connector } from "./http.ts";
import type { SseMessage } from "./sse.ts";
import type { CancelSignal } from "./web-platform.ts";

/**
 * The state of a subscription.
 *
 * - `connecting`: a request was sent. Entered at the start, and after each `waiting` or end of a connection.
 * - `live`: the server has sent its first frame; `resume` says whether events are missing. Left when the connection ends.
 * - `waiting`: the connection failed with `error`; the next one is made after `delayMs`.
 * - `ended`: no more events: the run is over, the reader left, or `error` was thrown. Final.
 */
export type SubscriptionState =
  | { readonly state: "connecting" }
  | { readonly state: "live"; readonly resume?: ResumeFrame["status"] }
  | { readonly state: "waiting"; readonly error: SpoorClientError; readonly delayMs: number }
  | { readonly state: "ended"; readonly error?: unknown };

export interface FollowOptions {
  signal: CancelSignal;
  onState: (state: SubscriptionState) => void;
  /** The subscription fails after this many connections in a row that delivered nothing. */
  maxFailures: number;
}

/**
 * Yields everything after the source's cursor, each event once and in order, over as many connections as needed. Events
 * are yielded in the groups in which they arrived, because a step of an async generator costs more than reading an event.
 *
 * The end of a connection is not the end of the run, because a proxy may close it too. So the client connects again. The
 * stream ends when the server answers 204, or when it sends nothing after the run's terminal event.
 */
export async function* follow(
  connector: Connector,
  source: Source,
  { signal, onState, maxFailures }: FollowOptions,
): AsyncGenerator<Received[], void> {
  const { clock, backOff } = connector;
  for (let failures = 0; ; ) {
    onState({ state: "connecting" });
    const since = clock.now();
    const start = source.cursor;
    let connection: Connection | undefined;
    let problem: SpoorClientError | undefined;
    try {
      connection = await connect(connector, { path: source.path, query: source.query(), signal });
      if (!connection) return;
      problem = yield* readConnection(connection, source, onState);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof SpoorClientError && error.retryable)) throw error;
      problem = error;
    } finally {
      connection?.close();
    }

    const hasDelivered = source.cursor > start;
    if (!problem && !hasDelivered && source.over) return;
    // A connection without events that lasted long enough does not count as a failure.
    const lasted = (!problem || problem.code === "closed") && clock.now() - since >= backOff.capMs;
    failures = hasDelivered || lasted ? 0 : failures + 1;
    if (!problem && failures === 0) continue;
    problem ??= clientError("closed", "The server ended the stream and sent nothing.");
    if (failures > maxFailures || (problem.code === "broken_stream" && failures > MAX_BROKEN)) throw problem;

    // The server can lengthen the wait, never shorten it.
    const baseMs = Math.max(connection?.retryMs ?? 0, backOff.baseMs);
    const jittered = delayAfter(Math.max(failures, 1), { ...backOff, baseMs }, clock.random());
    const delayMs = Math.max(jittered, problem.retryAfterMs ?? 0);
    onState({ state: "waiting", error: problem, delayMs });
    await clock.sleep(delayMs, signal);
    if (signal.aborted) throw signal.reason;
  }
}

/** Missing events may arrive on the next connection. After this many broken connections in a row the client gives up. */
const MAX_BROKEN = 5;

/** Yields the events of one connection. Returns the server's reason for ending it, if it gave one. */
async function* readConnection(
  connection: Connection,
  source: Source,
  onState: FollowOptions["onState"],
): AsyncGenerator<Received[], SpoorClientError | undefined> {
  let live = false;
  for await (const batch of connection.batches()) {
    const accepted: Received[] = [];
    try {
      for (const message of batch) {
        if (!live) {
          onState({
            state: "live",
            ...(message.event === "resume" && { resume: acceptResume(parse(message.data), source) }),
          });
        }
        live = true;
        if (message.event === "bye") return clientError("closed", `The server ended the stream: ${message.data}`);
        if (message.event === "error") return errorOfFrame(message.data);
        const placed = message.event === "message" ? accept(message, source) : undefined;
        if (placed) accepted.push(placed);
      }
    } finally {
      // The events before a bad frame are valid.
      if (accepted.length > 0) yield accepted;
    }
  }
  return undefined;
}

const accept = ({ data, id }: SseMessage, source: Source): Received | undefined =>
  source.accept(readEnvelope(data), /^\d{1,15}$/.test(id) ? Number(id) : undefined);

/** Reads the first frame: where the server continues, and whether events are missing. */
export function acceptResume(frame: Partial<ResumeFrame>, source: Source): ResumeFrame["status"] {
  const { cursor } = source;
  const { status, schema_version, after_sequence = cursor } = frame;
  if (schema_version !== undefined && schema_version !== SCHEMA_VERSION) {
    throw clientError(
      "unsupported_schema",
      `The server sends envelopes of schema version ${schema_version}, which this client does not support.`,
    );
  }
  // New events would have sequence numbers that we have already read.
  if (after_sequence < cursor) {
    throw clientError(
      "cursor_ahead",
      `The server's log ends at ${after_sequence}, but events up to ${cursor} were already read.`,
    );
  }
  source.begin?.(after_sequence);
  return status === "gap" ? "gap" : "ok";
}

function parse(data: string): Partial<ResumeFrame> {
  try {
    return (JSON.parse(data) as Partial<ResumeFrame> | null) ?? {};
  } catch {
    throw clientError("broken_stream", `The first frame is not JSON: ${data.slice(0, 80)}`);
  }
}
