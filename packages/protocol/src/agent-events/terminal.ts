import type { AgentEvent } from "./catalog.ts";
import { isFailure } from "./failures.ts";

/**
 * Whether the run ends with this event. A `rate_limit_error` ends the run when no retry follows, which the event alone
 * does not show, so this function returns false for it.
 */
export function isTerminalEvent(event: AgentEvent): boolean {
  return isFailure(event) && event.type !== "rate_limit_error";
}
