import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { expect, it } from "vitest";
import { envelopesOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import type { Log, LogDraft } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import { ApprovalError } from "../approvals/approval-error.ts";
import { resolveApproval } from "../approvals/resolve.ts";
import { requestData } from "../projections/approval-request.ts";
import { effectsOf } from "../projections/index.ts";

const newId = createUlidSource();
const RACES = Number(process.env.SPOOR_RACES ?? 200);

/** A run that waits for two approvals. */
async function waitingRun(log: Log): Promise<{ run_id: string; ids: string[] }> {
  const run_id = prefixed("run", newId());
  const task_id = prefixed("task", newId());
  const ids = [prefixed("approval", newId()), prefixed("approval", newId())];
  const at = Date.now();
  const draft = (type: string, data: object): LogDraft => ({ type, timestamp: at, json: JSON.stringify(data) });
  const drafts = [
    draft("run.created", { kind: "agent", agent: "toy" }),
    draft("run.started", { worker_id: "w" }),
    ...ids.map((approval_id) =>
      draft("approval.requested", requestData({ approval_id, kind: "shell_command" }, { expiresInMs: 60_000 }, {}, at)),
    ),
  ];
  const effects = effectsOf(drafts.slice(2), { run_id, task_id, kind: "agent" });
  const facts = { status: "awaiting_approval", pending: 2, worker_id: "w" } as const;
  await log.append([{ run_id, create: { agent: "toy", kind: "agent", task_id }, drafts, facts, effects }]);
  return { run_id, ids };
}

it(`${RACES} times, answers at once leave one decision per approval and no run that waits`, {
  timeout: 300_000,
}, async () => {
  const { log, directory } = temporaryLog();
  const other = await openLog({ directory, durability: "process" });
  for (let race = 0; race < RACES; race++) {
    const { run_id, ids } = await waitingRun(log);
    const answers = ids.flatMap((approval_id) => [
      resolveApproval(log, { approval_id, decision: "approve", by: "terminal" }),
      resolveApproval(other, { approval_id, decision: "reject", by: "http" }),
    ]);
    const settled = await Promise.allSettled(answers);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    for (const lost of settled) {
      if (lost.status === "fulfilled") continue;
      expect(lost.reason).toBeInstanceOf(ApprovalError);
      expect(lost.reason).toMatchObject({
        code: "approval_resolved",
        approval: { by: expect.stringMatching(/^(terminal|http)$/) },
      });
    }
    expect(await log.run(run_id)).toMatchObject({ status: "running" });
    expect((await log.run(run_id))?.pending ?? 0).toBe(0);
    const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
    expect(types.filter((type) => type === "approval.resolved")).toHaveLength(2);
  }
  await other.close();
});
