import type { SubscribeMessage, UnsubscribeMessage } from "@spoor/protocol/api";
import type { WebSocket } from "ws";
import type { Batch } from "../../log/feed/feed.ts";
import { errorBody, HttpError, toHttpError } from "../http/errors.ts";
import { toTime, toTypes } from "../http/parameters.ts";
import type { Parts } from "../parts.ts";
import { listed } from "../routes/events-list.ts";
import { resumeData } from "./events-stream.ts";
import { matchFor } from "./granularity.ts";
import { followToEnd } from "./live.ts";
import { allSource, resume, runSource, type Source, type Start, startOf } from "./source.ts";

const MOST_SUBSCRIPTIONS = 64;
const MOST_BUFFERED = 64 * 1024;

export interface Conversation {
  /** A message of the client; undefined for one that is not text. */
  hear(message: string | undefined): void;
  close(): void;
}

/** Subscriptions of one connection. Each is a cursor; all wait while the connection has enough to send. */
export function createConversation(parts: Parts, client: WebSocket): Conversation {
  const open = new Map<string, { resume(): void; close(): void }>();
  let reading: Promise<typeof import("./websocket-messages.ts")> | undefined;
  let closed = false;
  const hasRoom = () => client.bufferedAmount < MOST_BUFFERED;
  const say = (message: object) => {
    client.send(JSON.stringify(message), sent);
    // Who talks and does not listen is not listened to.
    if (!hasRoom()) client.pause();
  };
  const complain = (error: unknown, id?: string) => {
    say({ type: "error", ...(id !== undefined && { id }), ...errorBody(toHttpError(error)) });
  };
  const sent = () => {
    if (!hasRoom()) return;
    if (client.isPaused) client.resume();
    // Whoever was first is last now: the room may not be enough for all.
    const [first] = open;
    if (first) {
      open.delete(first[0]);
      open.set(...first);
    }
    for (const subscription of [...open.values()]) subscription.resume();
  };

  async function subscribe(wish: SubscribeMessage, isWanted: () => boolean): Promise<void> {
    const { id } = wish;
    const source = await sourceOf(parts, wish);
    const found = await resume(source, (await startOf(parts, startIn(wish))) ?? -1);
    if (!isWanted()) return;
    say({ type: "resume", id, ...resumeData(source, found) });
    const feed = followToEnd(source, found.after, parts.linger, {
      hasRoom,
      take(batch) {
        client.send(eventsMessage(batch, id), { binary: false }, sent);
        return hasRoom();
      },
      end() {
        open.delete(id);
        say({ type: "end", id, next_after_sequence: feed.cursor });
      },
      failed(error) {
        open.delete(id);
        complain(error, id);
      },
    });
    open.set(id, feed);
  }

  function act(wish: SubscribeMessage | UnsubscribeMessage): void {
    const { id } = wish;
    if (wish.type === "unsubscribe") {
      open.get(id)?.close();
      open.delete(id);
      return;
    }
    if (open.has(id)) throw new HttpError("bad_request", `There is a subscription ${JSON.stringify(id)} already.`);
    if (open.size >= MOST_SUBSCRIPTIONS) throw new HttpError("too_many_streams", "Too many subscriptions here.");
    // Holds the name while the log is asked; it may be given up, and taken anew, in between.
    const claim = { resume() {}, close() {} };
    const isWanted = () => open.get(id) === claim;
    open.set(id, claim);
    subscribe(wish, isWanted).catch((error) => {
      if (!isWanted()) return;
      open.delete(id);
      complain(error, id);
    });
  }

  return {
    hear(message) {
      // Each waits for the same promise, so that they are acted on in the order in which they came.
      reading ??= import("./websocket-messages.ts");
      reading.then(({ readMessage }) => closed || act(readMessage(message))).catch((error) => complain(error));
    },
    close() {
      closed = true;
      for (const subscription of open.values()) subscription.close();
      open.clear();
    },
  };
}

function startIn({ run_id, after_sequence, from, since }: SubscribeMessage): Start {
  if (run_id !== undefined && (from !== undefined || since !== undefined)) {
    throw new HttpError("invalid_body", '"from" and "since" go with "all": true. Use "after_sequence" for one run.');
  }
  return { after: after_sequence, from, since: since === undefined ? undefined : toTime(since, "since") };
}

async function sourceOf(parts: Parts, wish: SubscribeMessage): Promise<Source> {
  const match = matchFor(wish.granularity ?? "delta", toTypes(wish.event_type));
  if (wish.run_id === undefined) {
    if (!wish.all) throw new HttpError("invalid_body", 'Say which: "run_id", or "all": true.');
    return allSource(parts, { match, task_id: wish.task_id, agent: wish.agent });
  }
  const run = await parts.log.run(wish.run_id);
  if (!run) throw new HttpError("run_not_found", `There is no run ${wish.run_id}.`);
  return runSource(parts, run, match);
}

const byBatch = new WeakMap<Batch, Map<string, Buffer>>();
const MOST_SHARED = 16;

/** Envelopes as they are stored. Readers at the same place that chose the same id share the bytes. */
function eventsMessage(batch: Batch, id: string): Buffer {
  const shared = byBatch.get(batch) ?? new Map<string, Buffer>();
  byBatch.set(batch, shared);
  const known = shared.get(id);
  if (known) return known;
  const start = `{"type":"events","id":${JSON.stringify(id)},"next_after_sequence":${batch.next},"events":[`;
  const message = listed(start, batch.pieces, "]}");
  if (shared.size < MOST_SHARED) shared.set(id, message);
  return message;
}
