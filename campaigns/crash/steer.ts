import type { Row } from "../../packages/spoor/src/log/tables.ts";
import { ApprovalError } from "../../packages/spoor/src/runtime/approvals/approval-error.ts";
import { answerApproval } from "../../packages/spoor/src/runtime/commands/answer-approval.ts";
import { CommandError } from "../../packages/spoor/src/runtime/commands/command-error.ts";
import { type CommandKind, sendCommand } from "../../packages/spoor/src/runtime/commands/send.ts";
import { waitForCommand } from "../../packages/spoor/src/runtime/commands/wait.ts";
import type { Stage } from "./stage.ts";

/** Waits until a run asks. */
export async function pendingApproval(stage: Stage, run_id: string): Promise<Row<"approvals">> {
  let found: Row<"approvals"> | undefined;
  await stage.until("an approval", async () => {
    found = (await stage.log.rows.list("approvals", { where: { run_id, status: "pending" } })).rows[0];
    return found;
  });
  return found as Row<"approvals">;
}

/** Approves over HTTP if a server runs, otherwise as the command line does. Returns the HTTP status. */
export async function answer(stage: Stage, approval_id: string): Promise<number | undefined> {
  if (stage.server) return (await stage.post(`/v1/approvals/${approval_id}/resolve`, { decision: "approve" }))?.status;
  try {
    await answerApproval(stage.log, { approval_id, decision: "approve", by: "campaign" });
    return 200;
  } catch (error) {
    if (!(error instanceof ApprovalError)) throw error;
    return error.code === "approval_gone" ? 410 : 409;
  }
}

/** Sends a command, and waits until it is carried out. */
export async function command({ log }: Stage, run_id: string, kind: CommandKind): Promise<void> {
  try {
    const { command: sent } = await sendCommand(log, { run_id, kind, by: "campaign" });
    const done = await waitForCommand(log, sent.command_id, { timeoutMs: 20_000 });
    if (done?.outcome !== "done") throw new Error(`The command ${kind} is ${done?.outcome}: ${done?.detail}`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Error(`The command ${kind} was refused: ${error.message}`);
  }
}
