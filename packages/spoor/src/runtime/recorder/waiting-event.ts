import type { AgentEvent } from "@spoor/protocol";

/** An event that waits behind the gate of a recorder. */
export interface WaitingEvent {
  event: AgentEvent;
  /** Written out of turn, with the call that it belongs to. */
  isTaken: boolean;
}
