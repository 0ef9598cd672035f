import { ulidTime } from "@spoor/protocol/ids";
import type { Effect } from "../../log/effects.ts";

/** The part of a draft or of a stored event that decides about rows. */
interface ProjectedEvent {
  type: string;
  data: Record<string, unknown>;
}

/**
 * What an event changes in the table `approvals`. Live commits and `spoor repair` both use this, and times come from the
 * event's data, so that both give the same rows.
 *
 * Only requests with an `action_hash` are records that can be answered; answers to those carry `resolved_at`.
 */
export function approvalEffects({ type, data }: ProjectedEvent, run: RunOfEvent): Effect<"approvals">[] {
  const approval_id = text(data.approval_id);
  if (approval_id === null) return [];
  if (type === "approval.requested") return data.action_hash === undefined ? [] : [requested(approval_id, data, run)];
  const isTimeout = type === "approval.timed_out";
  if ((type !== "approval.resolved" && !isTimeout) || data.resolved_at === undefined) return [];
  const decision = isTimeout ? "rejected" : text(data.decision);
  return [
    {
      do: "update",
      table: "approvals",
      key: approval_id,
      when: { status: "pending" },
      set: {
        status: isTimeout ? "timed_out" : (decision ?? "cancelled"),
        decision,
        by: isTimeout ? "deadline" : text(data.by),
        comment: text(data.comment),
        resolved_at: time(data.resolved_at),
      },
    },
  ];
}

export interface RunOfEvent {
  run_id: string;
  task_id: string;
}

function requested(approval_id: string, data: Record<string, unknown>, run: RunOfEvent): Effect<"approvals"> {
  const { action, detail, summary, input, truncated } = data;
  const { run_id, task_id } = run;
  return {
    do: "insert",
    table: "approvals",
    row: {
      ...{ approval_id, run_id, task_id, interaction_id: approval_id, status: "pending" },
      tool_call_id: text(data.tool_call_id),
      kind: text(data.kind),
      tool: text(data.tool_name),
      action: JSON.stringify({ action, detail, summary, input, truncated }),
      action_hash: text(data.action_hash),
      cwd: text(data.cwd),
      rule: text(data.rule),
      reason: text(data.policy_reason),
      risk: text(data.risk_level),
      diff: text(data.diff),
      diff_artifact_id: text(data.diff_artifact_id),
      requested_at: ulidTime(approval_id),
      expires_at: time(data.expires_at),
      default_action: text(data.default_action),
    },
  };
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const time = (value: unknown): number | null => (typeof value === "string" ? Date.parse(value) : null);
