import type { EnvelopeData } from "../envelope/catalog.ts";
import type { Usage } from "./types-totals.ts";

/** Prompts, messages, approvals and questions. `turn` counts from 1; 0 means before the first turn. */

/** A message from a person to the agent. */
export interface PromptView {
  readonly text: string;
  readonly turn: number;
  readonly via?: NonNullable<EnvelopeData<"user.message">["via"]>;
  /** The question that this prompt answers. */
  readonly interactionId?: string;
  readonly at?: string;
}

/** A file or image that was attached to a prompt. */
export interface AttachmentView {
  readonly kind: string;
  readonly turn: number;
  readonly mime?: string;
  readonly name?: string;
  readonly artifactId?: string;
  /** The agent acknowledged the image. */
  readonly acknowledged?: true;
  readonly at?: string;
}

/** One model call of the run with its tool calls. */
export interface TurnView {
  readonly number: number;
  /** `cancelled` when the run ended before the turn did. */
  readonly status: "open" | "completed" | "failed" | "cancelled";
  readonly model?: string;
  readonly provider?: string;
  /** The current phase. */
  readonly step?: string;
  readonly stopReason?: string;
  readonly usage: Usage;
  readonly durationMs?: number;
  readonly toolCallIds: readonly string[];
  /** A model call of this turn failed and was retried. */
  readonly retried?: true;
  readonly error?: { readonly code?: string; readonly message: string; readonly willRetry: boolean };
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** A message from the agent. */
export interface MessageView {
  readonly text: string;
  /** False while the message streams. */
  readonly complete: boolean;
  readonly turn: number;
  readonly block: number;
  /** The message is the final answer to the prompt. */
  readonly final?: true;
  readonly at?: string;
}

/** A thinking block of the agent. */
export interface ThoughtView {
  readonly text: string;
  readonly complete: boolean;
  readonly turn: number;
  readonly block: number;
  /** Screens show thoughts only on request. */
  readonly hidden: true;
  readonly effort?: string;
  readonly at?: string;
}

/** The state of an approval request. */
export type ApprovalStatus = "pending" | "approved" | "rejected" | "cancelled" | "timed_out";

/** A request for permission. */
export interface ApprovalView {
  readonly id: string;
  readonly status: ApprovalStatus;
  /** The kind of action that needs permission: `shell_command`, `file_write`, … */
  readonly kind?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly turn?: number;
  readonly summary?: string;
  readonly action?: string;
  readonly detail?: string;
  readonly riskLevel?: NonNullable<EnvelopeData<"approval.requested">["risk_level"]>;
  /** The input of the tool, so that people can judge the action. */
  readonly input?: unknown;
  /** For a change of files, a unified diff. */
  readonly diff?: string;
  readonly diffArtifactId?: string;
  readonly truncated?: boolean;
  /** The working directory of the action. */
  readonly cwd?: string;
  /** The hash of the action. An answer may name it to approve exactly this action. */
  readonly actionHash?: string;
  /** The policy rule that asks. */
  readonly rule?: string;
  /** What happens when the request times out. */
  readonly defaultAction?: NonNullable<EnvelopeData<"approval.requested">["default_action"]>;
  readonly policyReason?: string;
  readonly requestedBy?: string;
  readonly requestedAt?: string;
  readonly expiresAt?: string;
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  readonly comment?: string;
}

/** A question from the agent. */
export interface QuestionView {
  readonly id: string;
  /** `passed` when the agent continued without a recorded answer. */
  readonly status: "pending" | "answered" | "passed" | "cancelled";
  readonly question: string;
  readonly context?: string;
  readonly source?: EnvelopeData<"input.requested">["source"];
  readonly answer?: string;
  readonly askedAt?: string;
  readonly answeredAt?: string;
}
