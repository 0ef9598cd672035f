import type { SubscribeMessage } from "@spoor/protocol/api";
import type { Batch } from "../../log/feed/feed.ts";
import { matchFor } from "../../log/feed/granularity.ts";
import { errorBody, HttpError, toHttpError } from "../http/http-error.ts";
import { languageRefusal } from "../http/language-parameter.ts";
import { toTime, toTypes } from "../http/query-parameters.ts";
import type { RouteSocket, SocketReader } from "../http/route.ts";
import { allRunsSource, type EventSource, runSource } from "./event-source.ts";
import type { FeedContext } from "./feed-context.ts";
import { followToEnd } from "./follow-to-end.ts";
import { jsonList } from "./json-list.ts";
import { resume, resumeData, type Start, startPosition } from "./resume.ts";
import type { ClientMessage } from "./websocket-messages.ts";

const MAX_SUBSCRIPTIONS = 64;
const MAX_BUFFERED = 64 * 1024;

/** The subscriptions of one WebSocket. Each is a cursor without a queue; all wait while the socket's buffer is full. */
export function createSubscriptions(context: FeedContext, client: RouteSocket): SocketReader {
  const open = new Map<string, { resume(): void; close(): void }>();
  let loading: Promise<typeof import("./websocket-messages.ts")> | undefined;
  let closed = false;
  const hasRoom = () => client.bufferedAmount < MAX_BUFFERED;
  const send = (message: object) => {
    client.send(JSON.stringify(message), {}, onSent);
    // Backpressure for a client that sends messages and does not read the answers.
    if (!hasRoom()) client.pause();
  };
  const sendError = (error: unknown, id?: string) => {
    send({ type: "error", ...(id !== undefined && { id }), ...errorBody(toHttpError(error)) });
  };
  const onSent = () => {
    if (!hasRoom()) return;
    if (client.isPaused) client.resume();
    // Move the first subscription to the end: the buffer may fill before all of them had a turn.
    const [first] = open;
    if (first) {
      open.delete(first[0]);
      open.set(...first);
    }
    for (const subscription of [...open.values()]) subscription.resume();
  };

  async function subscribe(message: SubscribeMessage, isWanted: () => boolean): Promise<void> {
    const { id } = message;
    const source = await sourceOf(context, message);
    const found = await resume(source, (await startPosition(context, startOf(message))) ?? -1);
    if (!isWanted()) return;
    send({ type: "resume", id, ...resumeData(source, found) });
    let sayCaughtUp = message.caught_up === true;
    const feed = followToEnd(source, found.after, context.linger, {
      hasRoom,
      take(batch) {
        client.send(eventsMessage(batch, id), { binary: false }, onSent);
        return hasRoom();
      },
      caughtUp() {
        if (!sayCaughtUp) return;
        sayCaughtUp = false;
        send({ type: "caught_up", id, next_after_sequence: feed.cursor });
      },
      end() {
        open.delete(id);
        send({ type: "end", id, next_after_sequence: feed.cursor });
      },
      failed(error) {
        open.delete(id);
        sendError(error, id);
      },
    });
    open.set(id, feed);
  }

  function handle(message: ClientMessage): void {
    const { id } = message;
    if (message.type === "ping") {
      send({ type: "pong", id });
      return;
    }
    if (message.type === "unsubscribe") {
      open.get(id)?.close();
      open.delete(id);
      return;
    }
    if (open.has(id)) {
      throw new HttpError("bad_request", `There is already a subscription with the id ${JSON.stringify(id)}.`);
    }
    if (open.size >= MAX_SUBSCRIPTIONS) {
      throw new HttpError(
        "too_many_streams",
        `This connection already has ${MAX_SUBSCRIPTIONS} subscriptions, which is the limit.`,
      );
    }
    // Reserves the id while the log is read. The client may unsubscribe, and use the id again, in between.
    const reserved = { resume() {}, close() {} };
    const isWanted = () => open.get(id) === reserved;
    open.set(id, reserved);
    subscribe(message, isWanted).catch((error) => {
      if (!isWanted()) return;
      open.delete(id);
      sendError(error, id);
    });
  }

  return {
    receive(message) {
      // All messages wait for the same promise, so they are handled in the order they came.
      loading ??= import("./websocket-messages.ts");
      loading.then(({ readMessage }) => closed || handle(readMessage(message))).catch((error) => sendError(error));
    },
    close() {
      closed = true;
      for (const subscription of open.values()) subscription.close();
      open.clear();
    },
  };
}

function startOf({ run_id, after_sequence, from, since }: SubscribeMessage): Start {
  if (run_id !== undefined && (from !== undefined || since !== undefined)) {
    throw new HttpError(
      "invalid_body",
      '"from" and "since" work only with "all": true. Use "after_sequence" with a run_id.',
    );
  }
  return { after: after_sequence, from, since: since === undefined ? undefined : toTime(since, "since") };
}

async function sourceOf(context: FeedContext, message: SubscribeMessage): Promise<EventSource> {
  if ("as" in message) throw languageRefusal(context.languages, "invalid_body");
  const match = matchFor(message.granularity ?? "delta", toTypes(message.event_type));
  if (message.run_id === undefined) {
    if (!message.all) {
      throw new HttpError("invalid_body", 'The message names no runs. Add "run_id", or "all": true for all of them.');
    }
    return allRunsSource(context, { match, task_id: message.task_id, agent: message.agent });
  }
  const run = await context.log.run(message.run_id);
  if (!run) throw new HttpError("run_not_found", `There is no run ${message.run_id}.`);
  return runSource(context, run, match);
}

const byBatch = new WeakMap<Batch, Map<string, Buffer>>();
const MAX_SHARED = 16;

/**
 * The message that carries a batch. Subscriptions with the same id on different connections share its bytes: 1.8× with it
 * for 50 clients.
 */
function eventsMessage(batch: Batch, id: string): Buffer {
  const shared = byBatch.get(batch) ?? new Map<string, Buffer>();
  byBatch.set(batch, shared);
  const known = shared.get(id);
  if (known) return known;
  const start = `{"type":"events","id":${JSON.stringify(id)},"next_after_sequence":${batch.next},"events":[`;
  const message = jsonList(start, batch.pieces, "]}");
  if (shared.size < MAX_SHARED) shared.set(id, message);
  return message;
}
