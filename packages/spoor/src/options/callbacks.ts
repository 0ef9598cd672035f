import type { AgentEventOf } from "@spoor/protocol";

/** Answers to permission: yes or no in any of these words. */
export type ApprovalAnswer = boolean | "approve" | "deny" | { approve: true } | { deny: true; reason?: string };

export interface Callbacks {
  /** Decides about an action that needs permission. One that throws refuses it. */
  onApprovalRequest?(request: AgentEventOf<"approval_request">): ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Answers a question of the agent's in words. One that throws leaves it unanswered, as refused. */
  onInputRequired?(request: AgentEventOf<"input_required">): string | Promise<string>;
}
