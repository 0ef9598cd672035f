import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import { openLog } from "../../log/open.ts";
import { expireApprovals } from "../approvals/deadline.ts";
import { resolveApproval } from "../approvals/resolve.ts";
import type { ApprovalTerms } from "../projections/approval-request.ts";

/** A run of the toy agent that waits for an answer, and its log as another process sees it. */
async function start(onReject: "continue" | "fail", approvals: ApprovalTerms = { expiresInMs: 60_000 }) {
  const { log, directory } = temporaryLog();
  const other = await openLog({ directory });
  onTestFinished(() => other.close());
  const client = createClient({ adapters: [toy], configDir: "/no/configuration", record: { to: log, approvals } });
  const run = client.run({ agent: "toy", prompt: "ask", approve: "ask", onReject });
  const find = async () => {
    const [row] = (await other.rows.list("approvals", {})).rows;
    if (!row) throw new Error("Nothing was asked.");
    return row.approval_id;
  };
  const approval_id = await vi.waitFor(find, { timeout: 20_000 });
  const told = async () => {
    expect(await findingsOf(other, [run.recordId])).toEqual([]);
    const events = await envelopesOf(other, run.recordId);
    const types = events.map(({ type }) => type);
    return { events, types: types.slice(types.indexOf("approval.requested")) };
  };
  return { run, log: other, approval_id, told };
}

describe("a refusal", () => {
  it("ends a run that must not go on without what was refused", async () => {
    const { run, log, approval_id, told } = await start("fail");
    await resolveApproval(log, { approval_id, decision: "reject", by: "ann", comment: "Too dangerous." });
    const { error, exitReason } = await run.result();
    expect({ code: error?.code, exitReason }).toEqual({ code: "APPROVAL_REJECTED", exitReason: "failed" });
    expect(error?.message).toContain("Too dangerous.");
    expect(await log.run(run.recordId)).toMatchObject({ status: "failed", error_code: "approval_rejected" });
    const { types } = await told();
    expect(types.filter((type) => !/^cost\.|_completed$/.test(type))).toEqual([
      ...["approval.requested", "approval.resolved", expect.stringMatching(/^tool\.(cancelled|failed)$/)],
      ...["turn.completed", "error.reported", "session.ended", "run.failed"],
    ]);
  });

  it("in the process itself ends such a run too", async () => {
    const { run, log, approval_id } = await start("fail");
    await run.deny(approval_id, "No.");
    await run.result();
    expect(await log.run(run.recordId)).toMatchObject({ status: "failed", error_code: "approval_rejected" });
  });

  it("is told to an agent that may carry on", async () => {
    const { run, log, approval_id } = await start("continue");
    await resolveApproval(log, { approval_id, decision: "reject", by: "ann" });
    expect((await log.run(run.recordId))?.now ?? "").not.toContain("asks for permission");
    expect((await run.result()).exitReason).toBe("completed");
  });
});

describe("a deadline", () => {
  it("ends a run that must not go on without an answer", async () => {
    const { run, log, told } = await start("fail", { expiresInMs: 1 });
    await run.result();
    expect(await log.run(run.recordId)).toMatchObject({ status: "failed", error_code: "approval_timed_out" });
    expect((await told()).types.slice(0, 2)).toEqual(["approval.requested", "approval.timed_out"]);
  });

  it.each([
    ["the executor", 1],
    ["another process", 60_000],
  ])("that cancels the run does so when %s notices it", async (_, expiresInMs) => {
    const { run, log, told } = await start("continue", { expiresInMs, defaultAction: "cancel_run" });
    if (expiresInMs > 1) await expireApprovals(log, Date.now() + expiresInMs);
    await run.result();
    expect(await log.run(run.recordId)).toMatchObject({ status: "cancelled" });
    const { events, types } = await told();
    expect(types.slice(0, 2)).toEqual(["approval.requested", "approval.timed_out"]);
    expect(events.at(-1)).toMatchObject({ type: "run.cancelled", data: { by: "deadline" } });
    const { rows } = await log.rows.list("commands", {});
    expect(rows).toMatchObject([{ kind: "deny", outcome: "done" }]);
  });
});
