import { Count, InProcessText, Json, Key, oneOf, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";
import { type ToolKind, toolKinds } from "./tool-kind.ts";

export { type ToolKind, toolKinds };

const toolCallId = Key("The agent's own id of the call, shared by all its events.");
const toolName = Key("The tool's name.");
const toolKind = optional(oneOf(toolKinds, "The kind of tool, independent of the agent's name for it."));

export const ToolCallStartEvent = agentEvent("tool_call_start", "The agent begins to write a tool call.", {
  toolCallId,
  toolName,
  inputAccumulated: InProcessText("The input so far. It is complete if the agent does not stream input."),
  toolKind,
});
export type ToolCallStartEvent = Static<typeof ToolCallStartEvent>;

export const ToolInputDeltaEvent = agentEvent("tool_input_delta", "The next piece of the call's input.", {
  toolCallId,
  delta: Text("The new piece of JSON text."),
  inputAccumulated: InProcessText("The input so far, this piece included."),
});
export type ToolInputDeltaEvent = Static<typeof ToolInputDeltaEvent>;

export const ToolCallReadyEvent = agentEvent("tool_call_ready", "The input is complete; the tool may run.", {
  toolCallId,
  toolName,
  input: Json("The parsed input."),
  toolKind,
});
export type ToolCallReadyEvent = Static<typeof ToolCallReadyEvent>;

export const ToolResultEvent = agentEvent("tool_result", "The call succeeded.", {
  toolCallId,
  toolName,
  output: Json("What the tool returned."),
  durationMs: Count("Wall-clock time the tool took."),
});
export type ToolResultEvent = Static<typeof ToolResultEvent>;

export const ToolErrorEvent = agentEvent("tool_error", "The call failed.", {
  toolCallId,
  toolName,
  error: Text("What went wrong, for people."),
  outcome: optional(oneOf(["failed", "cancelled", "timed_out", "blocked"], "How it failed.")),
});
export type ToolErrorEvent = Static<typeof ToolErrorEvent>;
