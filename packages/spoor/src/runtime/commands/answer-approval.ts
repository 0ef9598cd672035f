import type { Log } from "../../log/log.ts";
import { ApprovalError } from "../approvals/approval-error.ts";
import { type Resolution, type Resolved, resolveApproval } from "../approvals/resolve.ts";
import { createRedactor } from "../redaction/index.ts";
import { recoverIfGone, successorOf } from "./gone-executor.ts";

/**
 * Decides an approval for somebody who does not execute the run. If the executor is gone, the run is recovered first, and the
 * answer is refused with `approval_gone`, which names the run that took over if there is one.
 *
 * @throws {ApprovalError}
 */
export async function answerApproval(log: Log, { comment, ...resolution }: Resolution): Promise<Resolved> {
  const approval = await log.rows.find("approvals", resolution.approval_id);
  if (approval?.status === "pending") await recoverIfGone(log, approval.run_id);
  const told = comment === undefined ? {} : { comment: createRedactor().redact(comment) };
  try {
    return await resolveApproval(log, { ...resolution, ...told });
  } catch (error) {
    if (!(error instanceof ApprovalError) || error.code !== "approval_gone" || !error.approval) throw error;
    const { run_id, task_id } = error.approval;
    const successor = await successorOf(log, { run_id, task_id: task_id ?? "" });
    const next = successor === undefined ? "" : ` ${successor} took over.`;
    throw new ApprovalError("approval_gone", `${error.message}${next}`, { approval: error.approval, successor });
  }
}
