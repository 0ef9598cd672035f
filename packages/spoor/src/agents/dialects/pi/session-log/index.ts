import { asObject, asText, createJsonMachine, type Json, type JsonWire } from "../../../json-machine.ts";
import type { Machine } from "../../../machine.ts";
import type { Signal } from "../../../signal.ts";

/**
 * The session as it lies on disk: a header, then whole messages and what else happened in between. Read as the frames
 * that the agent printed at the time.
 */
export function createLogMachine(wire: JsonWire): Machine {
  /** Whether a prompt is being worked on, and whether the model waits for a tool. */
  let isOpen = false;
  let isWaiting = false;

  const read = (...frames: Json[]): Signal[] => frames.flatMap((frame) => wire.frame(frame) ?? []);

  const end = (): Signal[] => {
    if (!isOpen) return [];
    isOpen = false;
    return read({ type: "agent_end", isTerminal: true });
  };

  const message = (message: Json): Signal[] => {
    const start = { type: "message_start", message };
    const done = { type: "message_end", message };
    if (message.role === "assistant") {
      isWaiting = message.stopReason === "toolUse";
      return read(start, done);
    }
    // What is said while a tool runs steers the agent.
    if (message.role !== "user" || (isOpen && isWaiting)) return read(done);
    const before = end();
    isOpen = true;
    return [...before, ...read({ type: "agent_start" }, done)];
  };

  return createJsonMachine({
    frame(entry) {
      if (entry.type === "message") return message(asObject(entry.message) ?? {});
      if (entry.type === "compaction") return read({ type: "compaction_end", reason: "log", result: entry });
      return asText(entry.type) === "session" ? read(entry) : undefined;
    },
    // A log that stops while a tool runs is of a run that was cut off.
    exit: (code, signal) => [...(isWaiting ? [] : end()), ...wire.exit(code, signal)],
  });
}
