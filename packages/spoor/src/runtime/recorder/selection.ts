import type { AgentEvent } from "@spoor/protocol";
import { createHiding, type RecordedParts } from "./hidden.ts";

/** Leaves out, of the events of one run, what is not to be recorded. What is left keeps the contract. */
export function createSelection(parts: RecordedParts): (event: AgentEvent) => AgentEvent | undefined {
  const hide = createHiding(parts);
  let isThinking = false;

  return (event) => {
    switch (event.type) {
      case "thinking_start":
        isThinking = true;
        return parts.record_thinking ? event : undefined;
      case "thinking_delta":
        return parts.record_thinking ? event : undefined;
      case "thinking_stop":
        isThinking = false;
        return parts.record_thinking ? event : undefined;
      case "tool_input_delta":
        return parts.record_tool_input ? event : undefined;
      case "tool_call_start":
        return parts.record_tool_input ? event : { ...event, inputAccumulated: "" };
      case "debug": {
        // A word about a thought that is under way may quote it.
        if (isThinking && !parts.record_thinking) return { ...event, message: withoutQuote(hide(event.message)) };
        const message = hide(event.message);
        return message === event.message ? event : { ...event, message };
      }
      case "log": {
        const line = hide(event.line);
        return line === event.line ? event : { ...event, line };
      }
      default:
        return event;
    }
  };
}

const withoutQuote = (message: string): string => message.replace(/ Final: .*$/s, "");
