import { Count, Flag, Json, Key, oneOf, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

const call = {
  toolCallId: Key("The agent's own id of the call."),
  server: Key("The MCP server that provides the tool."),
  toolName: Key("The tool's name within that server."),
};
const durationMs = optional(Count("Wall-clock time of the call."));

export const McpToolCallStartEvent = agentEvent(
  "mcp_tool_call_start",
  "A call to an MCP tool begins, input complete.",
  {
    ...call,
    input: Json("The parsed input."),
  },
);
export type McpToolCallStartEvent = Static<typeof McpToolCallStartEvent>;

export const McpToolResultEvent = agentEvent("mcp_tool_result", "The MCP call succeeded.", {
  ...call,
  output: Json("What the tool returned."),
  durationMs,
});
export type McpToolResultEvent = Static<typeof McpToolResultEvent>;

export const McpToolErrorEvent = agentEvent("mcp_tool_error", "The MCP call failed.", {
  ...call,
  error: Text("What went wrong, for people."),
  durationMs,
  protocol: optional(Flag("True when the transport failed, false when the tool itself reported an error.")),
  outcome: optional(oneOf(["failed", "cancelled", "timed_out", "blocked"], "How it failed.")),
});
export type McpToolErrorEvent = Static<typeof McpToolErrorEvent>;
