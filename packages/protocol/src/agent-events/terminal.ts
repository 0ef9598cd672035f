import type { AgentEvent, AgentEventTypeLiteral } from "./catalog.ts";

const terminalTypes: ReadonlySet<string> = new Set<AgentEventTypeLiteral>([
  "interrupted",
  "aborted",
  "timeout",
  "turn_limit",
  "auth_error",
  "context_exceeded",
  "crash",
]);

/** Whether the run ends with this event. An exhausted `rate_limit_error` does too, but only what follows can tell. */
export function isTerminalEvent(event: AgentEvent): boolean {
  return terminalTypes.has(event.type) || (event.type === "error" && !event.recoverable);
}
