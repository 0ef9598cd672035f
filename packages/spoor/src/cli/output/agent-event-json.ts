import type { AgentEvent } from "@spoor/protocol";

/** An event without the accumulated text that deltas carry: readers can add up the deltas themselves. */
export function withoutAccumulated(event: AgentEvent): object {
  const { accumulated: _, inputAccumulated: __, ...rest } = event as AgentEvent & Record<string, unknown>;
  return rest;
}
