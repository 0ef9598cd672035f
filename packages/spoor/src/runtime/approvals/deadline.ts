import type { Row } from "../../log/tables.ts";
import { ApprovalError } from "./approval-error.ts";
import { byDeadline, type Resolved, type ResolvingLog, resolveApproval } from "./resolve.ts";

type Deadline = Pick<Row<"approvals">, "approval_id" | "expires_at" | "default_action">;

/**
 * Decides an approval whose deadline has passed, by its default. Returns undefined if it is not due, or if somebody answered
 * it meanwhile. The executor and a server's caretaker both call this; one of them wins.
 */
export async function expireApproval(
  log: ResolvingLog,
  approval: Deadline,
  now: number,
): Promise<Resolved | undefined> {
  if (approval.expires_at === null || approval.expires_at > now) return undefined;
  try {
    return await resolveApproval(log, byDeadline(approval));
  } catch (error) {
    if (error instanceof ApprovalError) return undefined;
    throw error;
  }
}

/** Decides every approval whose deadline has passed. Returns the decisions. */
export async function expireApprovals(log: ResolvingLog, now: number): Promise<Resolved[]> {
  const { rows } = await log.rows.list("approvals", { where: { status: "pending" }, order: "expires_at", limit: MOST });
  const expired: Resolved[] = [];
  for (const approval of rows) {
    const resolved = await expireApproval(log, approval, now);
    if (resolved) expired.push(resolved);
  }
  return expired;
}

/** The next round decides the others. */
const MOST = 1_000;
