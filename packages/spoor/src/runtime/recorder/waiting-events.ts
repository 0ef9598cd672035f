import type { AgentEvent } from "@spoor/protocol";
import { type ChangeDrafts, isToldChange, type StoredPatch } from "./change-source.ts";
import type { Gate } from "./gate.ts";

interface WaitingEvent {
  event: AgentEvent;
  /** Written out of turn, with the call that it belongs to. */
  isTaken: boolean;
}

/** The events that wait behind the gate of a recorder, in their order. */
export class WaitingEvents {
  readonly #gate: Gate;
  readonly #waiting: WaitingEvent[] = [];

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Calls `take` when the gate opens, unless the event was written before. */
  add(event: AgentEvent, take: () => void): void {
    const waiting: WaitingEvent = { event, isTaken: false };
    this.#waiting.push(waiting);
    this.#gate.do(() => {
      if (!waiting.isTaken) take();
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    });
  }

  events(): AgentEvent[] {
    return this.#waiting.map(({ event }) => event);
  }

  /**
   * Takes the agent's own events about files that changed: they follow the end of their call at once, and name the stored
   * patches.
   */
  takeTold(runId: string, changes: ChangeDrafts, write: (event: AgentEvent, patch?: StoredPatch) => void): void {
    for (const waiting of this.#waiting) {
      const { event, isTaken } = waiting;
      if (isTaken) continue;
      if (event.runId !== runId || !(isToldChange(event) || event.type === "file_read")) return;
      waiting.isTaken = true;
      write(event, isToldChange(event) ? changes.patchOf(event) : undefined);
    }
  }
}
