import type { AgentEvent } from "@spoor/protocol";
import { isTerminalEvent } from "@spoor/protocol/write";

/** The default limit of what one agent process may record, events and raw lines together. */
const DEFAULT_MAX_RECORDED_BYTES: number = 1024 ** 3;

/** Counts what is recorded of an agent process, so that no agent fills the disk. */
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

/** Events that are recorded beyond the limit: costs, the failure and the end. */
export const isAlwaysRecorded = (event: AgentEvent): boolean =>
  event.type === "cost" || event.type === "session_end" || isTerminalEvent(event);
