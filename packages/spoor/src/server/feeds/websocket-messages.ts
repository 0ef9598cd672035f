import { problems, validator } from "@spoor/protocol";
import { PingMessage, SubscribeMessage, UnsubscribeMessage } from "@spoor/protocol/api";
import { HttpError } from "../http/http-error.ts";

const isSubscribe = validator(SubscribeMessage);
const isUnsubscribe = validator(UnsubscribeMessage);
const isPing = validator(PingMessage);

export type ClientMessage = SubscribeMessage | UnsubscribeMessage | PingMessage;

/** Parses a client's message; undefined means a binary message. Loads all schemas: import this at the first message. */
export function readMessage(text: string | undefined): ClientMessage {
  const message = parsed(text);
  if (isSubscribe(message)) return message as SubscribeMessage;
  if (isUnsubscribe(message)) return message as UnsubscribeMessage;
  if (isPing(message)) return message as PingMessage;
  throw new HttpError("invalid_body", problemOf(message));
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(message: unknown): string {
  const type = typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
  if (type !== "subscribe")
    return 'The message is not understood: send one JSON object as text whose "type" is "subscribe", "unsubscribe" or "ping".';
  const [problem] = problems(SubscribeMessage, message, 1);
  return `The message is invalid at ${problem?.path || "/"}: ${problem?.message}.`;
}
