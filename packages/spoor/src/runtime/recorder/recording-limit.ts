import type { AgentEvent } from "@spoor/protocol";
import { isTerminalEvent } from "@spoor/protocol/write";

/** What a run may take in the log, events and raw lines together, when nobody says otherwise. */
export const DEFAULT_MAX_RECORDED_BYTES: number = 1024 ** 3;

/** Counts what is recorded of an agent's process, so that no agent fills the disk. */
export class RecordingLimit {
  readonly bytes: number;
  recorded = 0;

  constructor(bytes: number = DEFAULT_MAX_RECORDED_BYTES) {
    this.bytes = bytes;
  }

  get isReached(): boolean {
    return this.recorded >= this.bytes;
  }

  add(texts: Iterable<string>): void {
    for (const text of texts) this.recorded += text.length;
  }
}

/** Recorded even beyond the limit: what it cost, why it failed, and its end. */
export const isAlwaysRecorded = (event: AgentEvent): boolean =>
  event.type === "cost" || event.type === "session_end" || isTerminalEvent(event);
