import { Count, oneOf, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

export const InterruptedEvent = agentEvent("interrupted", "Someone interrupted the agent. Terminal.", {});
export type InterruptedEvent = Static<typeof InterruptedEvent>;

export const AbortedEvent = agentEvent("aborted", "Someone aborted the run. Terminal.", {});
export type AbortedEvent = Static<typeof AbortedEvent>;

export const PausedEvent = agentEvent("paused", "The run is paused.", {});
export type PausedEvent = Static<typeof PausedEvent>;

export const ResumedEvent = agentEvent("resumed", "The paused run continues.", {});
export type ResumedEvent = Static<typeof ResumedEvent>;

export const TimeoutEvent = agentEvent("timeout", "The run took too long. Terminal.", {
  kind: oneOf(["run", "inactivity"], "Which limit was reached."),
});
export type TimeoutEvent = Static<typeof TimeoutEvent>;

export const TurnLimitEvent = agentEvent("turn_limit", "The run used all its turns. Terminal.", {
  maxTurns: Count("The limit that was set; 0 when unknown."),
});
export type TurnLimitEvent = Static<typeof TurnLimitEvent>;

export const StreamFallbackEvent = agentEvent(
  "stream_fallback",
  "A kind of output arrives in one piece instead of streamed.",
  {
    capability: oneOf(["text", "tool_calls", "thinking"], "The kind of output."),
    reason: Text("Why it is not streamed."),
  },
);
export type StreamFallbackEvent = Static<typeof StreamFallbackEvent>;
