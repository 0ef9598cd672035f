import { type Static, Type } from "@sinclair/typebox";
import { problems, validator } from "@spoor/protocol";
import type { WebSocket } from "ws";
import type { Batch } from "../log/feed.ts";
import { errorBody, HttpError, toHttpError } from "./errors.ts";
import { listed } from "./events-list.ts";
import { resumeData } from "./events-stream.ts";
import { granularities, matchFor } from "./granularity.ts";
import { followToEnd } from "./live.ts";
import { toTypes } from "./parameters.ts";
import type { Parts } from "./parts.ts";
import { allSource, resume, runSource, type Source } from "./source.ts";

const Id = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Chosen by the client; repeated on all that answers it.",
});
const Subscribe = Type.Object({
  type: Type.Literal("subscribe"),
  id: Id,
  run_id: Type.Optional(Type.String({ maxLength: 128 })),
  all: Type.Optional(Type.Boolean()),
  after_sequence: Type.Optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER })),
  event_type: Type.Optional(Type.String()),
  granularity: Type.Optional(Type.Union(granularities.map((name) => Type.Literal(name)))),
  task_id: Type.Optional(Type.String({ maxLength: 128 })),
  agent: Type.Optional(Type.String({ maxLength: 128 })),
});
type Subscribe = Static<typeof Subscribe>;
const Unsubscribe = Type.Object({ type: Type.Literal("unsubscribe"), id: Id });
const isSubscribe = validator(Subscribe);
const isUnsubscribe = validator(Unsubscribe);

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
  const say = (message: object) => client.send(JSON.stringify(message));
  const complain = (error: unknown, id?: string) => {
    say({ type: "error", ...(id !== undefined && { id }), ...errorBody(toHttpError(error)) });
  };
  const sent = () => {
    if (client.bufferedAmount < MOST_BUFFERED) for (const subscription of [...open.values()]) subscription.resume();
  };

  async function subscribe(wish: Subscribe): Promise<void> {
    const { id } = wish;
    // Holds the name while the log is asked; whoever takes it back in between is noticed below.
    const claim = { resume() {}, close() {} };
    open.set(id, claim);
    const source = await sourceOf(parts, wish);
    const found = await resume(source, wish.after_sequence ?? -1);
    if (open.get(id) !== claim) return;
    say({ type: "resume", id, ...resumeData(source, found) });
    const feed = followToEnd(source, found.after, parts.linger, {
      take(batch) {
        client.send(eventsMessage(batch, id), { binary: false }, sent);
        return client.bufferedAmount < MOST_BUFFERED;
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

  function act(message: string | undefined): void {
    const wish = parsed(message);
    if (isUnsubscribe(wish)) {
      const { id } = wish as { id: string };
      open.get(id)?.close();
      open.delete(id);
    } else if (isSubscribe(wish)) {
      const { id } = wish as Subscribe;
      if (open.has(id)) throw new HttpError("bad_request", `There is a subscription ${JSON.stringify(id)} already.`);
      if (open.size >= MOST_SUBSCRIPTIONS) throw new HttpError("too_many_streams", "Too many subscriptions here.");
      subscribe(wish as Subscribe).catch((error) => {
        open.delete(id);
        complain(error, id);
      });
    } else throw new HttpError("invalid_body", wrong(wish));
  }

  return {
    hear(message) {
      try {
        act(message);
      } catch (error) {
        complain(error);
      }
    },
    close() {
      for (const subscription of open.values()) subscription.close();
      open.clear();
    },
  };
}

async function sourceOf(parts: Parts, wish: Subscribe): Promise<Source> {
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
  const message = Buffer.concat([
    Buffer.from(`{"type":"events","id":${JSON.stringify(id)},"next_after_sequence":${batch.next},"events":[`),
    listed(batch.pieces),
    Buffer.from("]}"),
  ]);
  if (shared.size < MOST_SHARED) shared.set(id, message);
  return message;
}

function parsed(message: string | undefined): unknown {
  try {
    return message === undefined ? undefined : JSON.parse(message);
  } catch {
    return undefined;
  }
}

function wrong(wish: unknown): string {
  const type = typeof wish === "object" && wish !== null && "type" in wish ? wish.type : undefined;
  if (type !== "subscribe") return "A message is one JSON object of type subscribe or unsubscribe.";
  const [problem] = problems(Subscribe, wish, 1);
  return `${problem?.path}: ${problem?.message}.`;
}
