import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { callAt, runCall, setCall } from "./open-call.ts";
import { turnNumber } from "./open-turn.ts";
import { count, type Handlers, key, oneOf, put, text, when } from "./payload-fields.ts";
import type { ApprovalStatus, ApprovalView, QuestionView } from "./types-talk.ts";
import { add, type Draft } from "./view-draft.ts";

export const approvals = {
  "approval.requested"(draft, data, envelope) {
    const toolCallId = key(data.tool_call_id);
    // `kind` is left out, because the kind of an approval is not the kind of a call.
    const { tool_name, turn_index } = data;
    const tool = toolCallId === undefined ? undefined : callAt(draft, toolCallId, { tool_name, turn_index }, envelope);
    const approval: ApprovalView = { id: text(data.approval_id) ?? "", status: "pending" };
    const index = add(
      draft,
      "approvals",
      put(approval, {
        kind: key(data.kind),
        toolCallId,
        toolName: key(data.tool_name),
        turn: turnNumber(draft, data.turn_index),
        summary: text(data.summary),
        action: text(data.action),
        detail: text(data.detail),
        riskLevel: oneOf(["low", "medium", "high"], data.risk_level),
        input: data.input,
        diff: text(data.diff),
        diffArtifactId: key(data.diff_artifact_id),
        cwd: text(data.cwd),
        actionHash: key(data.action_hash),
        rule: text(data.rule),
        defaultAction: oneOf(["reject", "cancel_run", "approve"], data.default_action),
        truncated: data.truncated === true ? true : undefined,
        policyReason: text(data.policy_reason),
        requestedBy: text(data.requested_by),
        requestedAt: when(envelope),
        expiresAt: text(data.expires_at),
      }),
      tool,
    );
    draft.lookup.approvals.set(approval.id, index);
    draft.lookup.pendingApprovals.add(index);
    if (tool === undefined) return;
    draft.lists.tools.edit(tool).approvals.push(index);
    if (draft.lookup.openCalls.has(tool)) setCall(draft, tool, "waiting");
  },
  "approval.resolved"(draft, data, envelope) {
    const status = oneOf(["approved", "rejected", "cancelled"], data.decision) ?? "cancelled";
    decide(draft, data.approval_id, status, envelope, { by: text(data.by), comment: text(data.comment) });
  },
  "approval.timed_out"(draft, data, envelope) {
    const seconds = count(data.after_seconds);
    const comment = seconds === undefined ? undefined : `No answer after ${seconds} s.`;
    decide(draft, data.approval_id, "timed_out", envelope, { comment });
  },
  "input.requested"(draft, data, envelope) {
    const question: QuestionView = {
      id: text(data.interaction_id) ?? "",
      status: "pending",
      question: text(data.question) ?? "",
    };
    const source = oneOf(["agent", "tool"], data.source);
    const index = add(
      draft,
      "questions",
      put(question, { context: text(data.context), source, askedAt: when(envelope) }),
    );
    draft.lookup.pendingQuestions.add(index);
  },
} satisfies Handlers;

export function answerQuestion({ lists, lookup }: Draft, id: string, answer: string, at: string | undefined): void {
  for (const question of lookup.pendingQuestions) {
    if (lists.questions.at(question)?.id !== id) continue;
    put(lists.questions.edit(question), { status: "answered", answer, answeredAt: at });
    lookup.pendingQuestions.delete(question);
  }
}

/** Marks open questions as passed when the model continues: the agent has its answer or does not need one. */
export function passQuestions({ lists, lookup }: Draft, type: EnvelopeType): void {
  if (lookup.pendingQuestions.size === 0 || !newOutput.has(type)) return;
  for (const question of lookup.pendingQuestions) lists.questions.edit(question).status = "passed";
  lookup.pendingQuestions.clear();
}

const newOutput: ReadonlySet<EnvelopeType> = new Set<EnvelopeType>([
  "turn.started",
  "assistant.message_started",
  "assistant.text_delta",
  "assistant.thinking_started",
  "assistant.thinking_delta",
  "assistant.tool_call_started",
  "assistant.tool_call_input_delta",
  "assistant.tool_call_proposed",
  "assistant.image_output",
]);

/** Cancels open approvals and questions when the run is over. */
export function cancelPending({ lists, lookup }: Draft): void {
  for (const approval of lookup.pendingApprovals) lists.approvals.edit(approval).status = "cancelled";
  for (const question of lookup.pendingQuestions) lists.questions.edit(question).status = "cancelled";
  lookup.pendingApprovals.clear();
  lookup.pendingQuestions.clear();
}

function decide(
  draft: Draft,
  approvalId: unknown,
  status: Exclude<ApprovalStatus, "pending">,
  envelope: Envelope,
  { by, comment }: { by?: string | undefined; comment?: string | undefined },
): void {
  const { run, lists, lookup } = draft;
  const id = text(approvalId) ?? "";
  // A rejection may come without a request, and a request may have been pruned.
  const at = lookup.approvals.get(id) ?? add(draft, "approvals", { id, status });
  lookup.approvals.set(id, at);
  lookup.pendingApprovals.delete(at);
  const approval = lists.approvals.edit(at);
  put(approval, { status, decidedBy: by, decidedAt: when(envelope), comment });
  if (run.status === "awaiting_approval" && lookup.pendingApprovals.size === 0) run.status = "queued";

  const tool = approval.toolCallId === undefined ? undefined : lookup.calls.get(approval.toolCallId);
  const call = tool === undefined ? undefined : lists.tools.at(tool);
  if (tool === undefined || call?.state !== "waiting") return;
  if (status === "cancelled") setCall(draft, tool, "cancelled");
  else if (status !== "approved") setCall(draft, tool, "blocked");
  else if (!call.approvals.some((other) => lookup.pendingApprovals.has(other))) runCall(draft, tool, envelope);
}
