import { answerApproval } from "../../runtime/commands/answer-approval.ts";
import { approvalJson } from "../../runtime/commands/record-json.ts";
import { principalOf } from "../../runtime/execution/principal.ts";
import { ExitError } from "../exit-error.ts";
import { findApproval } from "../history/find-approval.ts";
import { withWritableLog } from "../history/with-writable-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { handOverQueued } from "../running/with-tasks.ts";

export interface DecideOptions {
  data?: string;
  message?: string;
  /** The same as the message, but without a flag. */
  reason?: string;
  json?: true;
}

/** Allows or refuses an action. */
export async function decide(
  decision: "approve" | "deny",
  typed: string,
  options: DecideOptions,
  io: Io,
): Promise<void> {
  const { data, reason, message = reason, json } = options;
  if (reason !== undefined && message !== reason)
    throw new ExitError(2, "Give the reason once: in quotes after the approval, or with -m.");
  await withWritableLog({ ...(data !== undefined && { data }) }, async (log) => {
    const { approval_id } = await findApproval(log, typed);
    const { approval } = await answerApproval(log, {
      approval_id,
      decision: decision === "approve" ? "approve" : "reject",
      by: principalOf("cli"),
      ...(message !== undefined && { comment: message }),
    });
    await handOverQueued(log, approval.run_id, data);
    if (json) printJson(io.stdout, approvalJson(approval));
    else io.stdout.write(`${approval_id} of ${terminalSafe(approval.run_id)} is ${approval.status}.\n`);
  });
}
