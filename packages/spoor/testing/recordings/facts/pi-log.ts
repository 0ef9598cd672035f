import type { Facts } from "./facts.ts";
import { type RecordedFrame, Value } from "./frames.ts";
import { readOmp } from "./omp.ts";

/** A stored session: whole messages as they were printed, without the ends of prompts. */
export function readPiLog(frames: readonly RecordedFrame[]): Facts {
  const messages = frames.map(({ frame }) => frame).filter((frame) => frame.at("type").is("message"));
  const printed = messages.map((entry) => frameOf({ type: "message_end", message: entry.at("message").raw }));
  const results = messages
    .map((entry) => entry.at("message"))
    .filter((message) => message.at("role").is("toolResult"))
    .map((message) => frameOf({ ...(message.raw as object), type: "tool_execution_end", result: message.raw }));
  const end = frameOf({ type: "agent_end", messages: messages.map((entry) => entry.at("message").raw) });
  return readOmp([...printed, ...results, end]);
}

const frameOf = (raw: object): RecordedFrame => ({ dir: "out", frame: new Value(raw) });
