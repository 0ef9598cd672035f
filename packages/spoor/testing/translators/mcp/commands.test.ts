import { describe, expect, it, onTestFinished } from "vitest";
import { openLog } from "../../../src/log/open.ts";
import { loop } from "../../../src/loop/loop-kind.ts";
import { createPlace } from "../../cli/process.ts";
import { untilStatus } from "../../runtime/task-runtime.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../runtime/temporary-log.ts";
import { startServer } from "../../server/server-process.ts";
import { ask, connect, connectHere, refusal, stdioTransport } from "./client.ts";

async function place() {
  const made = createPlace("mcp");
  const log = await openLog({ directory: made.data });
  onTestFinished(async () => {
    await log.close();
    made.remove();
  });
  return { ...made, log, client: await connect(stdioTransport(made.data, "--allow-commands")) };
}

describe("spoor mcp --allow-commands", { timeout: 90_000 }, () => {
  it("starts a task, waits for its approval, answers it and goes on from its run", async () => {
    const { client, log, home } = await place();
    const { tools } = await client.listTools();
    const commands = tools.filter(({ annotations }) => !annotations?.readOnlyHint);
    expect(commands.map(({ name }) => name)).toEqual([
      "start_task",
      "follow_up",
      "send_text",
      "control_run",
      "answer_approval",
    ]);
    expect(client.getInstructions()).toContain("Commands are allowed");
    const task = { kind: "shell", command: "echo hello", policy: ["ask shell echo **"], workspace: { path: home } };
    const { run } = await ask(client, "start_task", task);
    await untilStatus(log, run.run_id, "awaiting_approval");
    const { approvals } = await ask(client, "list_approvals", { run: run.run_id });
    expect(approvals).toMatchObject([{ status: "pending", run_id: run.run_id }]);
    const [{ approval_id, action_hash }] = approvals;
    expect(
      await refusal(client, "answer_approval", { approval_id, decision: "approve", action_hash: "other" }),
    ).toContain("action_changed: ");
    const { approval } = await ask(client, "answer_approval", {
      approval_id,
      decision: "approve",
      action_hash,
      comment: "fine",
    });
    expect(approval).toMatchObject({ status: "approved", by: "mcp" });
    expect(await untilStatus(log, run.run_id)).toMatchObject({ status: "completed" });
    expect(await refusal(client, "answer_approval", { approval_id, decision: "reject" })).toMatch(
      /^approval_resolved: .*list_approvals/,
    );
    const { run: again } = await ask(client, "follow_up", { run: run.run_id, way: "retry", reason: "again" });
    await untilStatus(log, again.run_id, "awaiting_approval");
    const { command } = await ask(client, "control_run", { run: again.run_id, action: "cancel", reason: "enough" });
    expect(command).toMatchObject({ kind: "cancel", status: "done", by: "mcp" });
    expect(await untilStatus(log, again.run_id)).toMatchObject({ status: "cancelled" });
    expect(await refusal(client, "send_text", { run: again.run_id, text: "hello" })).toMatch(/^run_over: .*follow_up/);
    const events = await envelopesOf(log, again.run_id);
    expect(events.find(({ type }) => type === "run.cancelled")?.data).toMatchObject({ by: "mcp", reason: "enough" });
    expect(await findingsOf(log, [run.run_id, again.run_id])).toEqual([]);
  });

  it("lets the server of the directory perform a run, and cancels it while it works", async () => {
    const { client, log, data, home } = await place();
    const server = await startServer(data);
    onTestFinished(() => server.stop());
    const { run } = await ask(client, "start_task", { kind: "shell", command: "sleep 600", workspace: { path: home } });
    expect(await untilStatus(log, run.run_id, "running")).toMatchObject({ executor: "worker" });
    await ask(client, "control_run", { run: "last", action: "cancel" });
    expect(await untilStatus(log, run.run_id)).toMatchObject({ status: "cancelled" });
  });

  it("refuses what makes no task, and says why", async () => {
    const { log, directory } = temporaryLog();
    const client = await connectHere({ log: async () => log, directory, commands: { kinds: [loop] } });
    for (const [input, told] of [
      [{}, "invalid"],
      [{ kind: "cook" }, "must be one of agent, agent_loop, shell, git, file"],
      [{ kind: "shell" }, "command"],
      [{ kind: "shell", command: "ls", policy: ["frob shell ls"] }, "is not an action"],
      [{ agent: "nobody", prompt: "x" }, "nobody"],
      [{ agent: "claude", prompt: "x", start: false }, "`start` is unknown"],
    ] as const) {
      expect(await refusal(client, "start_task", input)).toContain(told);
    }
    expect(await refusal(client, "follow_up", { run: "last", way: "retry" })).toContain("run_not_found");
    expect(await refusal(client, "control_run", { run: "run_x", action: "cancel" })).toContain("list_runs");
    expect(await refusal(client, "answer_approval", { approval_id: "appr_x", decision: "approve" })).toContain(
      "list_approvals",
    );
    expect((await log.tasks()).tasks).toEqual([]);
  });
});
