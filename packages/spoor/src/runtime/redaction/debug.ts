import type { AgentEventOf } from "@spoor/protocol";
import type { TapeLine } from "../../log/log.ts";
import { createLineRedactor } from "./lines.ts";
import type { Scanner } from "./scanner.ts";

type DebugEvent = AgentEventOf<"debug">;

/** A `debug` event is held back for at most this many other events. */
const MAX_PASSING = 50;

/**
 * Redacts `debug` events, which carry frames that no adapter knows. An agent may stream text through such frames, so they
 * are redacted like raw lines. An event that ends with more than the first few characters of a possible secret is held
 * back until the next ones show what it is.
 */
export function createDebugRedactor(scanner: Scanner) {
  const redactor = createLineRedactor(scanner);
  const waiting: DebugEvent[] = [];
  let passed = 0;

  /** Lines and events have the same order. An event that was held back gets the current time, so that time never goes back. */
  const release = (lines: readonly TapeLine[], timestamp: number): DebugEvent[] =>
    waiting.splice(0, lines.length).map((event, index) => {
      const message = lines[index]?.text ?? "";
      return message === event.message && timestamp === event.timestamp ? event : { ...event, message, timestamp };
    });

  const flush = (timestamp: number): DebugEvent[] => release(redactor.flush(), timestamp);

  return {
    push(event: DebugEvent): DebugEvent[] {
      const { timestamp, message } = event;
      waiting.push(event);
      passed = 0;
      const line = { at: timestamp, from: "stdout", text: message } as const;
      return release([...redactor.push(line), ...redactor.release()], timestamp);
    },
    /** Call this when an event of another type arrives. Returns what was held back too long. */
    pass(timestamp: number): DebugEvent[] {
      if (waiting.length === 0) return [];
      passed += 1;
      return passed > MAX_PASSING ? flush(timestamp) : [];
    },
    /** Call this when no more `debug` events follow. */
    flush,
    get isHolding() {
      return waiting.length > 0;
    },
  };
}
