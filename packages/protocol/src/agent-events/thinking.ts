import { InProcessText, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

export const ThinkingStartEvent = agentEvent("thinking_start", "The agent begins to think.", {
  effort: optional(Text("The effort level in force, when reported.")),
});
export type ThinkingStartEvent = Static<typeof ThinkingStartEvent>;

export const ThinkingDeltaEvent = agentEvent("thinking_delta", "The next piece of the thought.", {
  delta: Text("The new piece."),
  accumulated: InProcessText("The thought so far, this piece included."),
});
export type ThinkingDeltaEvent = Static<typeof ThinkingDeltaEvent>;

export const ThinkingStopEvent = agentEvent("thinking_stop", "The thought is complete.", {
  thinking: Text("The whole thought: the sum of its pieces."),
});
export type ThinkingStopEvent = Static<typeof ThinkingStopEvent>;
