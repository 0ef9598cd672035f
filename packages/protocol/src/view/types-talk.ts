import type { EnvelopeData } from "../envelope/catalog.ts";
import type { Usage } from "./types-totals.ts";

/** What people and the agent say to each other. `turn` counts from 1; 0 stands before the first turn. */

export interface PromptView {
  readonly text: string;
  readonly turn: number;
  readonly via?: NonNullable<EnvelopeData<"user.message">["via"]>;
  /** The question it answers. */
  readonly interactionId?: string;
  readonly at?: string;
}

export interface AttachmentView {
  readonly kind: string;
  readonly turn: number;
  readonly mime?: string;
  readonly name?: string;
  readonly artifactId?: string;
  /** The agent said that it took the image. */
  readonly acknowledged?: true;
  readonly at?: string;
}

export interface TurnView {
  readonly number: number;
  /** `cancelled` when the run ended over it. */
  readonly status: "open" | "completed" | "failed" | "cancelled";
  readonly model?: string;
  readonly provider?: string;
  /** The phase it is in. */
  readonly step?: string;
  readonly stopReason?: string;
  readonly usage: Usage;
  readonly durationMs?: number;
  readonly toolCallIds: readonly string[];
  /** A model call of it failed and was tried again. */
  readonly retried?: true;
  readonly error?: { readonly code?: string; readonly message: string; readonly willRetry: boolean };
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export interface MessageView {
  readonly text: string;
  /** False while it streams. */
  readonly complete: boolean;
  readonly turn: number;
  readonly block: number;
  /** It is the answer to the prompt. */
  readonly final?: true;
  readonly at?: string;
}

export interface ThoughtView {
  readonly text: string;
  readonly complete: boolean;
  readonly turn: number;
  readonly block: number;
  /** Thoughts are not shown unless asked for. */
  readonly hidden: true;
  readonly effort?: string;
  readonly at?: string;
}

export type ApprovalStatus = "pending" | "approved" | "rejected" | "cancelled" | "timed_out";

export interface ApprovalView {
  readonly id: string;
  readonly status: ApprovalStatus;
  /** What is gated: `shell_command`, `file_write`, … */
  readonly kind?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly turn?: number;
  readonly summary?: string;
  readonly action?: string;
  readonly detail?: string;
  readonly riskLevel?: NonNullable<EnvelopeData<"approval.requested">["risk_level"]>;
  /** To judge it by: what the tool is given, and for a change of files what will change. */
  readonly input?: unknown;
  readonly diff?: string;
  readonly truncated?: boolean;
  readonly policyReason?: string;
  readonly requestedBy?: string;
  readonly requestedAt?: string;
  readonly expiresAt?: string;
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  readonly comment?: string;
}

export interface QuestionView {
  readonly id: string;
  /** `passed` when the turn went on with no answer on record. */
  readonly status: "pending" | "answered" | "passed" | "cancelled";
  readonly question: string;
  readonly context?: string;
  readonly source?: EnvelopeData<"input.requested">["source"];
  readonly answer?: string;
  readonly askedAt?: string;
  readonly answeredAt?: string;
}
