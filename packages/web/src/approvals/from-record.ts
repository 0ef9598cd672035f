import type { ApprovalView } from "@spoor/protocol";
import type { ApprovalRecord } from "@spoor/protocol/client";

/** The record of an approval in the form that the views of runs have, so that one card shows both. */
export function fromRecord(record: ApprovalRecord): ApprovalView {
  const { risk, default_action, decision: _, ...rest } = record;
  const fields: { -readonly [Name in keyof ApprovalView]?: ApprovalView[Name] | undefined } = {
    id: rest.approval_id,
    status: rest.status,
    kind: rest.kind,
    toolCallId: rest.tool_call_id,
    toolName: rest.tool,
    summary: rest.summary,
    action: rest.action,
    detail: rest.detail,
    riskLevel: oneOf(risks, risk),
    input: rest.input,
    diff: rest.diff,
    diffArtifactId: rest.diff_artifact_id,
    truncated: rest.truncated,
    cwd: rest.cwd,
    actionHash: rest.action_hash,
    rule: rest.rule,
    defaultAction: oneOf(defaults, default_action),
    policyReason: rest.reason,
    requestedAt: rest.requested_at,
    expiresAt: rest.expires_at,
    decidedBy: rest.by,
    decidedAt: rest.resolved_at,
    comment: rest.comment,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as ApprovalView;
}

const risks = ["low", "medium", "high"] as const;
const defaults = ["reject", "cancel_run", "approve"] as const;

const oneOf = <Word extends string>(known: readonly Word[], word: string | undefined): Word | undefined =>
  known.find((each) => each === word);
