import type { Log } from "../../log/log.ts";

/**
 * Decides approvals whose deadline has passed: those of a task, or all. A run that waits for a person has no process that could
 * watch its deadline, so workers and terminals do. What decides is loaded only if one is due.
 */
export async function expireDue(log: Log, of: { task_id?: string } = {}): Promise<void> {
  const query = { where: { ...of, status: "pending" }, order: "expires_at", limit: MOST } as const;
  const { rows } = await log.rows.list("approvals", query);
  const due = rows.filter(({ expires_at }) => expires_at !== null && expires_at <= Date.now());
  if (due.length === 0) return;
  const { expireApproval } = await import("./deadline.ts");
  for (const approval of due) await expireApproval(log, approval, Date.now());
}

/** The next look decides the others. */
const MOST = 100;
