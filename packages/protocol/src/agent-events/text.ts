import { InProcessText, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

export const MessageStartEvent = agentEvent("message_start", "The agent begins a message.", {});
export type MessageStartEvent = Static<typeof MessageStartEvent>;

export const TextDeltaEvent = agentEvent("text_delta", "The next piece of the message.", {
  delta: Text("The new piece."),
  accumulated: InProcessText("The message so far, this piece included."),
});
export type TextDeltaEvent = Static<typeof TextDeltaEvent>;

export const MessageStopEvent = agentEvent("message_stop", "The message is complete.", {
  text: Text("The whole message: the sum of its pieces."),
});
export type MessageStopEvent = Static<typeof MessageStopEvent>;
