import { createJsonMachine, type JsonFrameReader } from "../../../kit/json-machine.ts";
import { asObject, type Json } from "../../../kit/json-values.ts";
import type { Machine } from "../../../machine.ts";

/**
 * Reads a session log: a header, then whole messages and other entries. They are converted to the frames that the agent
 * printed at the time.
 */
export function createLogMachine(reader: JsonFrameReader): Machine {
  /** Whether the model waits for a tool. A user message then steers it, and a log that ends then was cut off. */
  let isWaiting = false;

  const agentEnd = (): Json[] => (isWaiting ? [] : [{ type: "agent_end", isTerminal: true }]);

  function framesOf(entry: Json): Json[] | undefined {
    const message = asObject(entry.message) ?? {};
    const end = { type: "message_end", message };
    if (entry.type === "session") return [entry];
    if (entry.type === "compaction") return [{ type: "compaction_end", reason: "log", result: entry }];
    if (entry.type !== "message") return undefined;
    if (message.role === "user") return [...agentEnd(), { type: "agent_start" }, end];
    if (message.role !== "assistant") return [end];
    isWaiting = message.stopReason === "toolUse";
    return [{ type: "message_start", message }, end];
  }

  const read = (frame: Json) => reader.frame(frame) ?? [];

  return createJsonMachine({
    frame: (entry) => framesOf(entry)?.flatMap(read),
    exit: (...how) => [...agentEnd().flatMap(read), ...reader.exit(...how)],
  });
}
