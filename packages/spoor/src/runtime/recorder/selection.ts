import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import { spanRoleOf } from "@spoor/protocol/write";
import { createHiding, type RecordedParts } from "../redaction/hide-parts.ts";

/** Leaves out the events, or the parts of events, that are not to be recorded. The remaining events keep the contract. */
export function createSelection(parts: RecordedParts): (event: AgentEvent) => AgentEvent | undefined {
  const hide = createHiding(parts);
  let isThinking = false;

  return (event) => {
    const { name, role } = spanRoleOf(event.type) ?? {};
    if (name === "thinking") {
      isThinking = role !== "end";
      return parts.record_thinking ? event : undefined;
    }
    if (name === "toolCall" && !parts.record_tool_input) {
      if (role === "delta") return undefined;
      return role === "start" ? { ...(event as AgentEventOf<"tool_call_start">), inputAccumulated: "" } : event;
    }
    if (event.type === "debug") {
      const message = hide(event.message);
      // A warning about the thought that is being streamed may quote it.
      if (isThinking && !parts.record_thinking) return { ...event, message: withoutQuote(message) };
      return message === event.message ? event : { ...event, message };
    }
    if (event.type === "log") {
      const line = hide(event.line);
      return line === event.line ? event : { ...event, line };
    }
    return event;
  };
}

const withoutQuote = (message: string): string => message.replace(/ Final: .*$/s, "");
