import { Flag, Json, Key, oneOf, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

const interactionId = Key("The id of the question, which an answer must carry: `appr_` and a ULID.");

export const InputRequiredEvent = agentEvent("input_required", "The agent asks and waits for an answer.", {
  interactionId,
  question: Text("The question."),
  context: optional(Text("What the agent is trying to do.")),
  source: oneOf(["agent", "tool"], "Who asks."),
});
export type InputRequiredEvent = Static<typeof InputRequiredEvent>;

export const ApprovalRequestEvent = agentEvent("approval_request", "An action waits for permission.", {
  interactionId,
  action: Text("What kind of action it is."),
  detail: Text("What exactly will be done."),
  toolName: optional(Text("The tool that asks.")),
  riskLevel: oneOf(
    ["low", "medium", "high"],
    "Low for reading, medium for writing, high for deleting and network access.",
  ),
  toolCallId: optional(Key("The tool call that waits.")),
  input: optional(Json("The input of the tool, so that people can judge the action.")),
  diff: optional(Text("For a change of files: a unified diff of what will change.")),
  truncated: optional(Flag("Whether `input` or `diff` is truncated. The tool call has the full input.")),
});
export type ApprovalRequestEvent = Static<typeof ApprovalRequestEvent>;

export const ApprovalGrantedEvent = agentEvent("approval_granted", "The action was allowed.", { interactionId });
export type ApprovalGrantedEvent = Static<typeof ApprovalGrantedEvent>;

export const ApprovalDeniedEvent = agentEvent("approval_denied", "The action was refused.", {
  interactionId,
  reason: optional(Text("Why.")),
});
export type ApprovalDeniedEvent = Static<typeof ApprovalDeniedEvent>;
