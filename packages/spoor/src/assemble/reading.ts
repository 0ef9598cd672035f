import type { AgentEvent } from "@spoor/protocol";
import type { HeldQuestion } from "./interactions.ts";

/** The outcome of one input of a `WireReader`. */
export interface Reading {
  readonly events: readonly AgentEvent[];
  /** Set when the agent has ended the prompt: `done`, or `retried` if it failed and another attempt follows. */
  readonly prompt?: "done" | "retried";
  /** Questions that wait for the verdict of Spoor's rules. */
  readonly questions?: readonly HeldQuestion[];
}

export const nothing: Reading = { events: [] };

export const joinReadings = (first: Reading, second: Reading): Reading => ({
  ...first,
  ...second,
  events: [...first.events, ...second.events],
});
