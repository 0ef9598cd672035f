import { Count, Key, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { mcpFields } from "./tool.ts";

export const policyDefinitions = [
  dotted("policy.tool_blocked", "core", "A call was rejected before it ran. This ends the call.", {
    tool_call_id: Key("The call."),
    tool_name: Key("The tool."),
    reason: Text("The reason."),
    kind: optional(Key("What the tool does.")),
    turn_index: optional(turnIndex),
    policy_id: optional(Text("The rule that rejected it.")),
    error: optional(Text("The error that the model received.")),
    duration_ms: optional(Count("Wall-clock time until the call was rejected.")),
    ...mcpFields,
  }),
  dotted("policy.model_rewrote", "core", "The run uses another model than the one requested.", {
    from_model: Text("The requested model."),
    to_model: Text("The model in use."),
    reason: Text("The reason."),
  }),
] as const;
