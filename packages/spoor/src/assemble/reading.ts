import type { AgentEvent } from "@spoor/protocol";

/** The outcome of one input of a `WireReader`. */
export interface Reading {
  readonly events: readonly AgentEvent[];
  /** The agent ended the prompt: it is `done`, or it failed and the attempt is to be `retried`. */
  readonly prompt?: "done" | "retried";
}

export const nothing: Reading = { events: [] };

export const joinReadings = (first: Reading, second: Reading): Reading => ({
  ...first,
  ...second,
  events: [...first.events, ...second.events],
});
