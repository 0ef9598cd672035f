import { Count, Flag, Instant, Json, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";

export const approvalKinds = [
  "shell_command",
  "shell_exec",
  "git_exec",
  "file_write",
  "network_egress",
  "agent_loop_tool_call",
  "task",
] as const;

const approval_id = Key("`appr_` and a ULID. An answer names this id.");

export const approvalDefinitions = [
  dotted("approval.requested", "core", "An action waits for permission.", {
    approval_id,
    kind: oneOf(approvalKinds, "The kind of action that needs permission."),
    tool_call_id: optional(Key("The call that waits.")),
    tool_name: optional(Text("The tool that asks.")),
    turn_index: optional(turnIndex),
    summary: optional(Text("One line for people: what will be done.")),
    action: optional(Text("The kind of action, in the agent's words.")),
    detail: optional(Text("What will be done, in full.")),
    risk_level: optional(oneOf(["low", "medium", "high"], "How risky the action is.")),
    input: optional(Json("The input of the tool, so that people can judge the action.")),
    diff: optional(Text("For a change of files: a unified diff of what will change.")),
    diff_artifact_id: optional(Key("The stored diff, if it is too long for `diff`.")),
    cwd: optional(Text("The working directory of the action.")),
    action_hash: optional(
      Key("The SHA-256 of the action as stored. An answer may name it to approve exactly this action."),
    ),
    rule: optional(Text("The policy rule that asks.")),
    policy_id: optional(Text("The id of that rule.")),
    truncated: optional(Flag("Whether `input` or `diff` is truncated. The tool call has the full input.")),
    status: optional(oneOf(["pending"], "Always pending here.")),
    policy_reason: optional(Text("Why the action needs permission.")),
    requested_by: optional(Text("Who asks for permission.")),
    step_id: optional(Text("The step that waits.")),
    expires_at: optional(Instant("When the request times out.")),
    default_action: optional(
      oneOf(["reject", "cancel_run", "approve"], "What happens when the request times out; `reject` if absent."),
    ),
  }),
  dotted("approval.resolved", "core", "The request was decided.", {
    approval_id,
    decision: oneOf(["approved", "rejected", "cancelled"], "The decision."),
    by: optional(Text("Who or what decided.")),
    comment: optional(Text("The reason.")),
    scope: optional(oneOf(["once"], "What the decision covers.")),
    kind: optional(oneOf(approvalKinds, "The kind of action that needed permission.")),
    status: optional(oneOf(["approved", "rejected", "cancelled"], "Same as `decision`.")),
    command_id: optional(Key("The command that passes the decision to the run.")),
    resolved_at: optional(Instant("When it was decided.")),
  }),
  dotted("approval.timed_out", "core", "Nobody answered in time. This counts as a rejection.", {
    approval_id,
    after_seconds: Count("How long the request waited, in seconds."),
    kind: optional(oneOf(approvalKinds, "The kind of action that needed permission.")),
    default_action: optional(oneOf(["reject", "cancel_run"], "What happens now.")),
    command_id: optional(Key("The command that passes the decision to the run.")),
    resolved_at: optional(Instant("When it timed out.")),
  }),
] as const;
