import { describe, expect, it, vi } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import type { Log } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import type { Row } from "../../log/tables.ts";
import type { Run } from "../../run/run.ts";
import { resolveApproval } from "../approvals/resolve.ts";
import { sendCommand } from "../commands/send.ts";
import { waitForCommand } from "../commands/wait.ts";

/** A recorded run, and the same log as another process sees it. */
async function start(prompt: string): Promise<{ handle: Run; log: Log }> {
  const { log, directory } = temporaryLog();
  const other = await openLog({ directory });
  const handle = createClient({ adapters: [toy], configDir: "/no/configuration", record: log }).run({
    agent: "toy",
    prompt,
    approve: "ask",
  });
  return { handle, log: other };
}

async function pendingOf(log: Log): Promise<Row<"approvals">> {
  return vi.waitFor(async () => {
    const [row] = (await log.rows.list("approvals", { where: { status: "pending" } })).rows;
    if (!row) throw new Error("Nothing is pending.");
    return row;
  }, PATIENCE);
}

/** A busy machine may need long. */
const PATIENCE = { timeout: 30_000 };

const typesOf = async (log: Log, run_id: string) => (await envelopesOf(log, run_id)).map(({ type }) => type);

describe("a recorded run", () => {
  it("is answered through another open log, and the first answer wins", async () => {
    const started = await start("ask");
    const { log, handle } = started;
    const approval = await pendingOf(log);
    expect(approval).toMatchObject({
      run_id: handle.recordId,
      status: "pending",
      tool: "Bash",
      default_action: "reject",
    });
    expect(await log.run(handle.recordId)).toMatchObject({ status: "awaiting_approval", pending: 1 });
    const { command } = await resolveApproval(log, {
      approval_id: approval.approval_id,
      decision: "approve",
      by: "http",
      action_hash: approval.action_hash ?? "",
    });
    const result = await handle.result();
    expect(result.exitReason).toBe("completed");
    const types = await typesOf(log, handle.recordId);
    expect(types.filter((type) => type.startsWith("approval."))).toEqual(["approval.requested", "approval.resolved"]);
    expect(types[types.indexOf("approval.resolved") + 1]).toBe("tool.started");
    expect(await findingsOf(log, [handle.recordId])).toEqual([]);
    expect(await log.rows.find("commands", command.command_id)).toMatchObject({ outcome: "done" });
    expect(await log.rows.find("approvals", approval.approval_id)).toMatchObject({ status: "approved", by: "http" });
    await expect(
      resolveApproval(log, { approval_id: approval.approval_id, decision: "reject", by: "late" }),
    ).rejects.toMatchObject({ code: "approval_resolved", approval: { by: "http", status: "approved" } });
    await log.close();
  });

  it("tells an answer of its own process who was first", async () => {
    const { log, handle } = await start("ask");
    const { approval_id } = await pendingOf(log);
    const [there, here] = await Promise.allSettled([
      resolveApproval(log, { approval_id, decision: "reject", by: "http", comment: "Not now." }),
      handle.approve(approval_id),
    ]);
    const outcome = here.status === "fulfilled" ? here.value : undefined;
    if (there.status === "fulfilled") expect(outcome).toEqual({ won: false, decision: "rejected", by: "http" });
    else expect(outcome).toMatchObject({ won: true, decision: "approved" });
    await handle.result();
    const types = await typesOf(log, handle.recordId);
    expect(types.filter((type) => type === "approval.resolved")).toHaveLength(1);
    expect(await findingsOf(log, [handle.recordId])).toEqual([]);
    await log.close();
  });

  it("is paused, resumed and cancelled through another open log", async () => {
    const { log, handle } = await start("hang");
    const run_id = handle.recordId;
    const send = async (kind: "pause" | "unpause" | "cancel", reason?: string) => {
      const { command } = await sendCommand(log, { run_id, kind, by: "http", body: { reason } });
      return waitForCommand(log, command.command_id, { timeoutMs: 10_000 });
    };
    await vi.waitFor(async () => expect(await typesOf(log, run_id)).toContain("session.started"), PATIENCE);
    expect(await send("pause")).toMatchObject({ outcome: "done" });
    expect(handle.state).toBe("paused");
    expect(await send("pause")).toMatchObject({ outcome: "refused", detail: "paused: The run is paused already." });
    expect(await send("unpause")).toMatchObject({ outcome: "done" });
    expect(await send("cancel", "No longer needed.")).toMatchObject({ outcome: "done" });
    expect((await handle.result()).exitReason).toBe("aborted");
    const events = await envelopesOf(log, run_id);
    const told = { by: "http", reason: "No longer needed." };
    expect(events.find(({ type }) => type === "run.aborted")?.data).toMatchObject(told);
    expect(events.filter(({ type }) => type === "run.cancelled").map(({ data }) => data)).toMatchObject([told]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expect(sendCommand(log, { run_id, kind: "cancel", by: "late" })).rejects.toMatchObject({ code: "run_over" });
    await log.close();
  });
});
