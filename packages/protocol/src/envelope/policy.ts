import { Count, Flag, Key, oneOf, optional, Text, Type } from "../schema.ts";
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
    protocol: optional(Flag("Whether the transport to an MCP server failed.")),
    ...mcpFields,
  }),
  dotted("policy.model_rewrote", "core", "The run uses another model than the one requested.", {
    from_model: Text("The requested model."),
    to_model: Text("The model in use."),
    reason: Text("The reason."),
    policy_id: optional(Text("The rule that rewrote it.")),
  }),
  dotted(
    "policy.git_settings_changed",
    "additive",
    "Files changed during the run from which git takes settings or runs programs. Look at them before you use git there.",
    {
      files: Type.Array(
        Type.Object({
          path: Key("The file: relative to the workspace, or absolute if it is not in it."),
          change: oneOf(["created", "changed", "deleted"], "What happened to it."),
        }),
        { description: "The repository's configuration and hooks that differ from the beginning of the run." },
      ),
    },
  ),
  dotted("policy.hook_completed", "additive", "A hook of the user's configuration ran.", {
    hook: oneOf(["PreToolUse", "PostToolUse"], "When the hook ran: before a call, or after its end."),
    command: Text("The hook's command."),
    tool_call_id: optional(Key("The call.")),
    tool_name: optional(Key("The tool.")),
    turn_index: optional(turnIndex),
    outcome: oneOf(
      ["ok", "failed", "timed_out"],
      "`ok`: the hook answered. A hook that failed or took too long counts as `ask`.",
    ),
    decision: optional(oneOf(["allow", "deny", "ask"], "What a hook before a call decided.")),
    reason: optional(Text("The hook's reason, or why it failed.")),
    exit_code: optional(Type.Integer({ description: "The hook's exit code; -1 when a signal ended it." })),
    duration_ms: optional(Count("Wall-clock time.")),
  }),
] as const;
