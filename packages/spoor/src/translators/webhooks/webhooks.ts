import path from "node:path";
import { createUlidSource } from "@spoor/protocol/ids";
import { createFeeds, type Feeds } from "../../log/feed/feed.ts";
import { PRUNED } from "../../log/gaps.ts";
import type { Log } from "../../log/log.ts";
import { createSavedCursor, type Place, type SavedCursor } from "../saved-cursor.ts";
import { Delivery } from "./delivery.ts";
import { type Message, messageOf, testMessage } from "./message.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { type Pace, usualPace } from "./pace.ts";
import { createPoster, type Poster } from "./post.ts";
import { type Receiver, receiverOf } from "./receiver.ts";
import { ownSecrets, type SecretSource } from "./secrets.ts";
import { signedHeaders } from "./sign.ts";
import { newState, type ReceiverState } from "./state.ts";
import { statusOf, type Test, type WebhookStatus } from "./status.ts";

/** Which events are sent where. */
export interface WebhookOptions {
  log: Log;
  /** The data directory. The secret of each receiver is in its folder `webhooks`. */
  directory: string;
  urls: readonly string[];
  /** The types to send; `tool.*` is a whole group. */
  types: readonly string[];
  /** The secrets of all receivers. By default each receiver has one of its own, which is created at its first use. */
  secrets?: SecretSource;
  /** Receives what the operator should know. */
  onNotice(text: string): void;
  pace?: Partial<Pace & { timeout: number }>;
}

/** The receivers of a server. */
export interface Webhooks {
  list(): WebhookStatus[];
  /** Sends a test event now; undefined if there is no such receiver. Changes nothing else. */
  test(id: string): Promise<Test | undefined>;
  /** Tries everything again now, also after 410 Gone. With `fromNow`, the backlog is skipped. */
  enable(id: string, options?: { fromNow?: boolean }): WebhookStatus | undefined;
  /** Lets requests that are being sent end, and saves how far each receiver is. */
  close(): Promise<void>;
}

/** The types that are sent if none are chosen: how runs begin, wait and end, and what waits for a person. */
export const defaultTypes: readonly string[] = [
  ...["run.created", "run.queued", "run.started", "run.awaiting_approval", "run.paused", "run.unpaused"],
  ...["run.finished", "run.failed", "run.cancelled"],
  ...["approval.*", "input.requested"],
];

/** How long requests that are being sent may take when the server stops. */
const GRACE_MS = 3_000;

/** Starts to deliver events as webhooks. */
export async function startWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { log } = options;
  const feeds = createFeeds(log);
  const stopping = new AbortController();
  const senders: Sender[] = [];
  try {
    const receivers = new Map(options.urls.map((url) => receiverOf(url)).map((receiver) => [receiver.id, receiver]));
    for (const receiver of receivers.values())
      senders.push(await openSender(receiver, options, feeds, stopping.signal));
  } catch (error) {
    feeds.close();
    throw error;
  }
  for (const { delivery } of senders) delivery.start();
  const find = (id: string) => senders.find(({ receiver }) => receiver.id === id);
  const describe = (sender: Sender) => statusOf(sender, log.lastPosition, options.types);

  return {
    list: () => senders.map(describe),
    async test(id) {
      const sender = find(id);
      if (!sender) return undefined;
      const began = performance.now();
      const { kind, detail } = await sender.send(testMessage(id, newEventId(), Date.now()));
      return { delivered: kind === "delivered", detail, duration_ms: Math.round(performance.now() - began) };
    },
    enable(id, { fromNow = false } = {}) {
      const sender = find(id);
      sender?.delivery.enable(fromNow);
      return sender && describe(sender);
    },
    async close() {
      const grace = setTimeout(() => stopping.abort(), GRACE_MS);
      await Promise.all(senders.map(({ delivery }) => delivery.close()));
      clearTimeout(grace);
      feeds.close();
      for (const { poster, cursor } of senders) {
        poster.close();
        cursor.save();
        await cursor.close();
      }
    },
  };
}

const newEventId = createUlidSource({ prefix: "evt_" });

/** Everything that belongs to one receiver. */
interface Sender {
  receiver: Receiver;
  secrets: SecretSource;
  delivery: Delivery;
  poster: Poster;
  cursor: SavedCursor<ReceiverState>;
  send(message: Message): Promise<Outcome>;
}

async function openSender(
  receiver: Receiver,
  options: WebhookOptions,
  feeds: Feeds,
  signal: AbortSignal,
): Promise<Sender> {
  const { log, directory, onNotice, types } = options;
  const { timeout, ...pace } = { ...usualPace, ...options.pace };
  const notice = (text: string) =>
    onNotice(`The webhook ${receiver.id} (${receiver.shownUrl}) ${text.replace(/\.$/, "")}.`);
  const secrets = options.secrets ?? (await ownSecrets(path.join(directory, "webhooks", `${receiver.id}.secret`)));
  await secrets.read();
  const poster = await createPoster(receiver.url, { timeoutMs: timeout, idleConnections: pace.concurrency });

  const send = async (message: Message): Promise<Outcome> => {
    let keys: readonly string[];
    try {
      keys = await secrets.read();
    } catch (error) {
      return { kind: "out_of_reach", detail: `gets nothing for now: ${(error as Error).message}` };
    }
    const headers = { ...staticHeaders, ...signedHeaders(message, keys, Date.now()) };
    return outcomeOf(await poster.post(headers, message.body, signal), Date.now());
  };
  const cursor = createSavedCursor<ReceiverState>({
    log,
    name: `webhook ${receiver.id}`,
    current: () => delivery.place(),
    onFault: ({ message }) =>
      notice(`may get events twice after a restart, because its state cannot be saved: ${message}`),
  });
  const delivery = new Delivery(placeOf(await cursor.read(), log, notice), {
    log,
    feeds,
    pace,
    match: matchOf(types),
    send: (envelope) => send(messageOf(envelope, receiver.id)),
    notice,
    changed: () => cursor.save(),
  });
  // From now on nothing is lost, also if the process is killed.
  await cursor.saveNow();
  return { receiver, secrets, delivery, poster, cursor, send };
}

/** A new receiver begins with what is recorded from now on. */
function placeOf(
  saved: Place<ReceiverState> | undefined,
  { lastPosition }: Log,
  notice: (text: string) => void,
): Place<ReceiverState> {
  if (!saved) return { position: lastPosition, state: newState() };
  if (saved.state.disabled_at !== undefined) notice("is disabled since it answered 410 Gone");
  if (saved.position <= lastPosition) return saved;
  notice("had read further than this log reaches. It gets what is recorded from now on");
  return { ...saved, position: lastPosition };
}

/** Removed events are told to everybody who did not get them. */
function matchOf(types: readonly string[]): (type: string) => boolean {
  const names = new Set([...types, PRUNED]);
  const groups = types.filter((type) => type.endsWith(".*")).map((type) => type.slice(0, -1));
  return (type) => names.has(type) || groups.some((group) => type.startsWith(group));
}

const staticHeaders = { "content-type": "application/cloudevents+json; charset=utf-8", "user-agent": "spoor" };
