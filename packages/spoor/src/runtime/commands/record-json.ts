import type { ApprovalRecord, CommandRecord } from "@spoor/protocol/api";
import { instant } from "@spoor/protocol/lines";
import type { Row } from "../../log/tables.ts";

/** An approval's record as it is printed and served. */
export function approvalJson(row: Row<"approvals">): ApprovalRecord {
  const { action, requested_at, expires_at, resolved_at, status, interaction_id: _, ...rest } = row;
  return {
    ...withoutNull(rest),
    ...{ approval_id: row.approval_id, run_id: row.run_id, status: status as ApprovalRecord["status"] },
    ...withoutNull(JSON.parse(action ?? "{}")),
    requested_at: instant(requested_at),
    ...(expires_at !== null && { expires_at: instant(expires_at) }),
    ...(resolved_at !== null && { resolved_at: instant(resolved_at) }),
  };
}

/** A command's record as it is printed and served. What was said is in the run's events. */
export function commandJson({ created_at, done_at, outcome, body: _, ...row }: Row<"commands">): CommandRecord {
  const ended = outcome === "done" ? "done" : "refused";
  return {
    ...withoutNull(row),
    ...{ command_id: row.command_id, run_id: row.run_id, kind: row.kind },
    status: done_at === null ? "pending" : ended,
    created_at: instant(created_at),
    ...(done_at !== null && { done_at: instant(done_at), outcome: ended }),
  };
}

function withoutNull<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as never;
}
