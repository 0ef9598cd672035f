import type { ResumeFrame } from "../api/stream.ts";
import { SCHEMA_VERSION } from "../envelope/envelope.ts";
import { delayAfter } from "./back-off.ts";
import { type Connection, connect } from "./connection.ts";
import { clientError, errorOfFrame, SpoorClientError } from "./errors.ts";
import type { Placed, Source } from "./event-source.ts";
import type { Connector } from "./http.ts";
import type { SseMessage } from "./sse.ts";
import type { Signal } from "./web-platform.ts";

/**
 * Where a subscription stands.
 *
 * - `connecting`: a request is under way. Entered at the start, and after each `waiting` or end of a connection.
 * - `live`: the server has sent its first frame; `resume` is its verdict. Left when the connection ends.
 * - `waiting`: the connection failed for `error`; the next is made after `delayMs`.
 * - `ended`: nothing more comes: the run is over, the reader left, or `error` was thrown. Never left.
 */
export type SubscriptionState =
  | { readonly state: "connecting" }
  | { readonly state: "live"; readonly resume?: ResumeFrame["status"] }
  | { readonly state: "waiting"; readonly error: SpoorClientError; readonly delayMs: number }
  | { readonly state: "ended"; readonly error?: unknown };

export interface FollowOptions {
  signal: Signal;
  onState: (state: SubscriptionState) => void;
  /** Gives up after so many connections in a row that brought nothing. */
  maxFailures: number;
}

/**
 * Everything after the source's cursor, each event once and in order, over as many connections as it takes; in the
 * groups in which it came, since a step of an async generator costs more than reading an event.
 *
 * The end of a connection is no end of the run: a proxy ends them too. So the server is asked again, and only its word
 * that nothing follows (204) is the end; or that it has nothing to add to a terminal event it sent before.
 */
export async function* follow(
  connector: Connector,
  source: Source,
  { signal, onState, maxFailures }: FollowOptions,
): AsyncGenerator<Placed[], void> {
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

    const brought = source.cursor > start;
    if (!problem && !brought && source.over) return;
    // A quiet connection that lasted until it was cut was a good one too.
    const lasted = (!problem || problem.code === "closed") && clock.now() - since >= backOff.capMs;
    failures = brought || lasted ? 0 : failures + 1;
    if (!problem && failures === 0) continue;
    problem ??= clientError("closed", "The server ended the stream and sent nothing.");
    if (failures > maxFailures || (problem.code === "broken_stream" && failures > MOST_BROKEN)) throw problem;

    // The server may ask for more patience, never for less.
    const baseMs = Math.max(connection?.retryMs ?? 0, backOff.baseMs);
    const jittered = delayAfter(Math.max(failures, 1), { ...backOff, baseMs }, clock.random());
    const delayMs = Math.max(jittered, problem.retryAfterMs ?? 0);
    onState({ state: "waiting", error: problem, delayMs });
    await clock.sleep(delayMs, signal);
    if (signal.aborted) throw signal.reason;
  }
}

/** What is missing may be on its way; what is missing this often in a row is missing for good. */
const MOST_BROKEN = 5;

/** Returns why the server ended the connection, when it said so. */
async function* readConnection(
  connection: Connection,
  source: Source,
  onState: FollowOptions["onState"],
): AsyncGenerator<Placed[], SpoorClientError | undefined> {
  let live = false;
  for await (const batch of connection.batches()) {
    const accepted: Placed[] = [];
    try {
      for (const message of batch) {
        if (!live) {
          onState({ state: "live", ...(message.event === "resume" && { resume: readResume(message, source) }) });
        }
        live = true;
        if (message.event === "bye") return clientError("closed", `The server said goodbye: ${message.data}`);
        if (message.event === "error") return errorOfFrame(message.data);
        const placed = message.event === "message" ? source.accept(message) : undefined;
        if (placed) accepted.push(placed);
      }
    } finally {
      // What stands before a bad frame is good.
      if (accepted.length > 0) yield accepted;
    }
  }
  return undefined;
}

function readResume({ data }: SseMessage, source: Source): ResumeFrame["status"] {
  const { cursor } = source;
  const { status, schema_version, after_sequence = cursor } = parse(data);
  if (schema_version !== undefined && schema_version !== SCHEMA_VERSION) {
    throw clientError("unsupported_schema", `The server sends envelopes of version ${schema_version}.`);
  }
  // What it would send as new has the numbers of what we have.
  if (after_sequence < cursor) {
    throw clientError("cursor_ahead", `The log ends at ${after_sequence}, and ${cursor} was read before.`);
  }
  source.begin?.(after_sequence);
  return status === "gap" ? "gap" : "ok";
}

function parse(data: string): Partial<ResumeFrame> {
  try {
    return (JSON.parse(data) as Partial<ResumeFrame> | null) ?? {};
  } catch {
    throw clientError("broken_stream", `The first frame is no JSON: ${data.slice(0, 80)}`);
  }
}
