import { Count, Flag, Json, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { exitAttributes, sandboxAttributes } from "./tool-attributes.ts";

const call = {
  tool_call_id: Key("The model's own id of the call, shared by all its events."),
  tool_name: Key("The tool."),
  kind: Key("What the tool does: `shell`, `edit`, `mcp`, … A reader treats kinds it does not know generically."),
  turn_index: optional(turnIndex),
};

/** MCP calls use the generic types; these fields say which server and how it went. */
export const mcpFields = {
  mcp_server: optional(Key("The MCP server.")),
  mcp_tool: optional(Key("The tool's name within that server.")),
  result: optional(
    oneOf(
      ["dispatched", "tool_error", "failed", "blocked"],
      "Clean answer; the tool reported an error; no answer was had; policy refused the call.",
    ),
  ),
};

const end = {
  ...call,
  ...mcpFields,
  duration_ms: optional(Count("Wall-clock time.")),
  summary: optional(Text("One line for people.")),
  result_artifact_id: optional(Key("The stored result.")),
  ...exitAttributes,
};

export const toolDefinitions = [
  dotted("tool.invoked", "core", "The call was accepted.", { ...call, ...mcpFields, ...sandboxAttributes }),
  dotted("tool.started", "core", "It was seen to run: a command began, or permission was given.", {
    ...call,
    ...mcpFields,
    ...sandboxAttributes,
  }),
  dotted("tool.completed", "core", "The call returned. Ends the call.", {
    ...end,
    output: optional(Json("What the tool returned.")),
    error: optional(Text("The error an MCP tool reported, with result `tool_error`.")),
    protocol: optional(Flag("Always false here: the transport worked.")),
  }),
  dotted("tool.failed", "core", "The call failed. Ends the call.", {
    ...end,
    error: Text("What went wrong, for people."),
    outcome: optional(oneOf(["failed"], "Said when the agent said so.")),
    protocol: optional(Flag("True when the transport to an MCP server failed.")),
  }),
  dotted("tool.cancelled", "core", "The call was cancelled. Ends the call.", { ...end, error: optional(Text("Why.")) }),
  dotted("tool.timed_out", "core", "The call took too long or wrote too much. Ends the call.", {
    ...end,
    error: optional(Text("Which limit.")),
    after_ms: optional(Count("The limit.")),
  }),
] as const;
