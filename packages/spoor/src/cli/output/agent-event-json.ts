import type { AgentEvent } from "@spoor/protocol";

/** An event as it is printed: deltas without their sum, which a reader rebuilds. */
export function withoutAccumulated(event: AgentEvent): object {
  const { accumulated: _, inputAccumulated: __, ...rest } = event as AgentEvent & Record<string, unknown>;
  return rest;
}
