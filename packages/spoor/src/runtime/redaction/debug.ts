import type { AgentEventOf } from "@spoor/protocol";
import type { TapeLine } from "../../log/log.ts";
import { createLineRedactor } from "./lines.ts";
import type { Scanner } from "./scanner.ts";

type DebugEvent = AgentEventOf<"debug">;

/** So many events of other kinds may pass one that waits. */
const MOST_PASSING = 50;

/**
 * Frames that no adapter knows are told as they are: what an agent streams through them is cut as on its native lines,
 * and redacted like those. One that may hold more than the first few characters of a secret waits for the next of them.
 */
export function createDebugRedactor(scanner: Scanner) {
  const lines = createLineRedactor(scanner);
  const waiting: DebugEvent[] = [];
  let passed = 0;

  /** Lines come in the order of their events. Time does not go back for what waited. */
  const tell = (told: readonly TapeLine[], timestamp: number): DebugEvent[] =>
    waiting.splice(0, told.length).map((event, index) => {
      const message = told[index]?.text ?? "";
      return message === event.message && timestamp === event.timestamp ? event : { ...event, message, timestamp };
    });

  const flush = (timestamp: number): DebugEvent[] => tell(lines.flush(), timestamp);

  return {
    push(event: DebugEvent): DebugEvent[] {
      const { timestamp, message } = event;
      waiting.push(event);
      passed = 0;
      return tell([...lines.push({ at: timestamp, from: "stdout", text: message }), ...lines.release()], timestamp);
    },
    /** An event of another kind comes: what waited too long. */
    pass(timestamp: number): DebugEvent[] {
      if (waiting.length === 0) return [];
      passed += 1;
      return passed > MOST_PASSING ? flush(timestamp) : [];
    },
    /** Nothing more of it comes. */
    flush,
    get isHolding() {
      return waiting.length > 0;
    },
  };
}
