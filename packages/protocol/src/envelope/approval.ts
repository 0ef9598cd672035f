import { Count, Flag, Instant, Json, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";

export const approvalKinds = [
  "shell_command",
  "shell_exec",
  "git_exec",
  "file_write",
  "network_egress",
  "agent_loop_tool_call",
] as const;

const approval_id = Key("`appr_` and a ULID: what an answer is addressed to.");

export const approvalDefinitions = [
  dotted("approval.requested", "core", "An action waits for permission.", {
    approval_id,
    kind: oneOf(approvalKinds, "What is gated."),
    tool_call_id: optional(Key("The call that waits.")),
    tool_name: optional(Text("The tool that asks.")),
    turn_index: optional(turnIndex),
    summary: optional(Text("One line for people: what exactly will be done.")),
    action: optional(Text("What kind of action it is, in the agent's words.")),
    detail: optional(Text("What exactly will be done, whole.")),
    risk_level: optional(oneOf(["low", "medium", "high"], "How much is at stake.")),
    input: optional(Json("The input of the tool, to judge the action by.")),
    diff: optional(Text("For a change of files: a unified diff of what will change.")),
    truncated: optional(Flag("Whether `input` or `diff` is cut short; the tool call has its input in full.")),
    status: optional(oneOf(["pending"], "Always pending here.")),
    policy_reason: optional(Text("Why it is gated.")),
    requested_by: optional(Text("Who asks.")),
    step_id: optional(Text("The step that waits.")),
    expires_at: optional(Instant("When it is decided without an answer.")),
  }),
  dotted("approval.resolved", "core", "The question is decided.", {
    approval_id,
    decision: oneOf(["approved", "rejected", "cancelled"], "How."),
    by: optional(Text("Who or what decided.")),
    comment: optional(Text("Why.")),
    scope: optional(oneOf(["once"], "What the decision covers.")),
    kind: optional(oneOf(approvalKinds, "What was gated.")),
    status: optional(oneOf(["approved", "rejected", "cancelled"], "Same as `decision`.")),
  }),
  dotted("approval.timed_out", "core", "Nobody answered in time; counts as a refusal.", {
    approval_id,
    after_seconds: Count("How long it waited."),
  }),
] as const;
