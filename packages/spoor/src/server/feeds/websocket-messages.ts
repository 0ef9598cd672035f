import { problems, validator } from "@spoor/protocol";
import { SubscribeMessage, UnsubscribeMessage } from "@spoor/protocol/api";
import { HttpError } from "../http/errors.ts";

const isSubscribe = validator(SubscribeMessage);
const isUnsubscribe = validator(UnsubscribeMessage);

/** A message of a client; undefined is one that is not text. Loads the whole protocol: import it when somebody speaks. */
export function readMessage(text: string | undefined): SubscribeMessage | UnsubscribeMessage {
  const message = parsed(text);
  if (isSubscribe(message)) return message as SubscribeMessage;
  if (isUnsubscribe(message)) return message as UnsubscribeMessage;
  throw new HttpError("invalid_body", wrong(message));
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wrong(message: unknown): string {
  const type = typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
  if (type !== "subscribe") return "A message is one JSON object of type subscribe or unsubscribe.";
  const [problem] = problems(SubscribeMessage, message, 1);
  return `${problem?.path}: ${problem?.message}.`;
}
