import { Count, Key, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { mcpFields } from "./tool.ts";

export const policyDefinitions = [
  dotted("policy.tool_blocked", "core", "A call was refused before it ran. Ends the call.", {
    tool_call_id: Key("The call."),
    tool_name: Key("The tool."),
    reason: Text("Why."),
    kind: optional(Key("What the tool does.")),
    turn_index: optional(turnIndex),
    policy_id: optional(Text("The rule that refused it.")),
    error: optional(Text("What the model was told.")),
    duration_ms: optional(Count("Wall-clock time until it was refused.")),
    ...mcpFields,
  }),
  dotted("policy.model_rewrote", "core", "Another model is used than was asked for.", {
    from_model: Text("Asked for."),
    to_model: Text("Used."),
    reason: Text("Why."),
  }),
] as const;
