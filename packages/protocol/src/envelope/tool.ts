import { Count, Flag, Json, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { exitAttributes, sandboxAttributes } from "./tool-attributes.ts";

const call = {
  tool_call_id: Key("The model's own id of the call, shared by all its events."),
  tool_name: Key("The tool."),
  kind: Key("What the tool does: `shell`, `edit`, `mcp`, … A reader treats unknown kinds generically."),
  turn_index: optional(turnIndex),
};

/** MCP calls use the generic types. These fields name the server and the result. */
export const mcpFields = {
  mcp_server: optional(Key("The MCP server.")),
  mcp_tool: optional(Key("The tool's name within that server.")),
  result: optional(
    oneOf(
      ["dispatched", "tool_error", "failed", "blocked"],
      "`dispatched`: the tool answered. `tool_error`: the tool reported an error. `failed`: there was no answer. `blocked`: policy rejected the call.",
    ),
  ),
};

const protocol = optional(Flag("True when the transport to an MCP server failed."));

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
  dotted("tool.started", "core", "The call runs: a command was started, or permission was given.", {
    ...call,
    ...mcpFields,
    policy_id: optional(Text("The rule that allowed it without asking.")),
    ...sandboxAttributes,
  }),
  dotted("tool.completed", "core", "The call returned. This ends the call.", {
    ...end,
    output: optional(Json("What the tool returned.")),
    error: optional(Text("The error an MCP tool reported, with result `tool_error`.")),
    outcome: optional(oneOf(["failed"], "Present when the agent reported the MCP tool's error as a failure.")),
    truncated: optional(Flag("Whether `output` is only a part. The stored result is whole.")),
    protocol: optional(Flag("Always false here: the transport worked.")),
  }),
  dotted("tool.failed", "core", "The call failed. This ends the call.", {
    ...end,
    error: Text("What went wrong, for people."),
    outcome: optional(oneOf(["failed"], "Present when the agent reported the failure.")),
    protocol,
  }),
  dotted("tool.cancelled", "core", "The call was cancelled. This ends the call.", {
    ...end,
    error: optional(Text("The reason.")),
    protocol,
  }),
  dotted("tool.timed_out", "core", "The call reached a time or output limit. This ends the call.", {
    ...end,
    error: optional(Text("The limit that was reached.")),
    after_ms: optional(Count("The time limit in milliseconds.")),
    protocol,
  }),
] as const;
