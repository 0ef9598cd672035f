import { hash } from "node:crypto";
import type { Envelope } from "@spoor/protocol";
import { cloudEvent } from "../cloudevents.ts";

/** What is sent: a CloudEvent as JSON. The id is the same at every attempt, so that a receiver can discard doubles. */
export interface Message {
  id: string;
  body: string;
}

/** Many receivers refuse larger bodies. */
const MOST_BYTES = 256 * 1024;

/** The event of a run for one receiver. Data that is too large is left out, and `dataref` says where to get it. */
export function messageOf(envelope: Envelope, receiver_id: string): Message {
  const event = cloudEvent(envelope);
  const id = messageId(receiver_id, envelope.event_id);
  const body = JSON.stringify(event);
  if (Buffer.byteLength(body) <= MOST_BYTES) return { id, body };
  const { data: _, ...rest } = event;
  const dataref = `/v1/runs/${envelope.run_id}/events?after_sequence=${envelope.sequence - 1}&limit=1`;
  return { id, body: JSON.stringify({ ...rest, dataref }) };
}

/** An event that belongs to no run, to try a receiver out. */
export function testMessage(receiver_id: string, event_id: string, now: number): Message {
  const event = {
    specversion: "1.0",
    id: event_id,
    source: `/webhooks/${receiver_id}`,
    type: "dev.spoor.webhook.test.v1",
    time: new Date(now).toISOString(),
    datacontenttype: "application/json",
    data: { message: "This is a test. If you can read it and its signature is right, webhooks work." },
  };
  return { id: messageId(receiver_id, event_id), body: JSON.stringify(event) };
}

const messageId = (receiver_id: string, event_id: string): string =>
  `msg_${hash("sha256", `${receiver_id} ${event_id}`).slice(0, 32)}`;
