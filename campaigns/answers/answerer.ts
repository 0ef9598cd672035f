// Answers approvals as the command line does: each line of standard input is an answer, each line of output what became of it.
import { createInterface } from "node:readline";
import { openLog } from "../../packages/spoor/src/log/open.ts";
import { ApprovalError } from "../../packages/spoor/src/runtime/approvals/approval-error.ts";
import { answerApproval } from "../../packages/spoor/src/runtime/commands/answer-approval.ts";

const [directory = "", by = ""] = process.argv.slice(2);
const log = await openLog({ directory });
const print = (line: object) => console.log(JSON.stringify(line));
createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const { approval_id, decision } = JSON.parse(line) as { approval_id: string; decision: "approve" | "reject" };
    try {
      await answerApproval(log, { approval_id, decision, by });
      print({ approval_id, status: 200, by });
    } catch (error) {
      if (!(error instanceof ApprovalError)) throw error;
      const status = error.code === "approval_resolved" ? 409 : 410;
      print({ approval_id, status, by: error.approval?.by ?? null });
    }
  })
  .on("close", () => void log.close());
print({ ready: true });
