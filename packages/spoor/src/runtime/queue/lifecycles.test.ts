import { describe, expect, it } from "vitest";
import { createLoopExecutor } from "../../../testing/runtime/loop-executor.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { defaultExecutors, taskRuntime, temporaryFolder, untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { Log } from "../../log/log.ts";
import { resolveApproval } from "../approvals/resolve.ts";
import { sendCommand } from "../commands/send.ts";
import { recover } from "../recovery/recover.ts";
import { repair } from "../repair/repair.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { createAndStart, followUp } from "../tasks/start.ts";

const typesOf = async (log: Log, run_id: string) => (await envelopesOf(log, run_id)).map(({ type }) => type);
const TIMEOUT = { timeout: 60_000 };

describe("a task that a rule gates", TIMEOUT, () => {
  const gated = async () => {
    const runtime = taskRuntime();
    const spec: TaskSpec = {
      kind: "shell",
      command: "echo ok",
      approve: "ask",
      priority: 7,
      workspace: { path: runtime.workspace },
    };
    const run = await createAndStart(runtime.context, spec);
    const { rows } = await runtime.log.rows.list("approvals", { where: { run_id: run.run_id } });
    const approval_id = rows[0]?.approval_id ?? "";
    return { ...runtime, run, approval_id, approval: rows[0] };
  };
  const opening = ["run.created", "run.awaiting_approval", "approval.requested"];

  it("waits before its start, and is queued when it is approved", async () => {
    const { log, run, approval, approval_id, startWorker } = await gated();
    expect(run).toMatchObject({ status: "awaiting_approval", pending: 1 });
    expect(approval).toMatchObject({ kind: "shell_command", status: "pending", action_hash: expect.any(String) });
    startWorker();
    await resolveApproval(log, { approval_id, decision: "approve", by: "ann" });
    expect(await untilStatus(log, run.run_id)).toMatchObject({ status: "completed" });
    const types = await typesOf(log, run.run_id);
    expect(types.slice(0, 6)).toEqual([...opening, "approval.resolved", "run.queued", "run.started"]);
    expect((await envelopesOf(log, run.run_id))[4]?.data).toMatchObject({ priority: 7 });
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
  });

  it("fails when it is rejected, and a second answer is told who was first", async () => {
    const { log, run, approval_id } = await gated();
    await resolveApproval(log, { approval_id, decision: "reject", by: "ann", comment: "no" });
    expect(await typesOf(log, run.run_id)).toEqual([...opening, "approval.resolved", "run.failed", "task.updated"]);
    expect(await log.run(run.run_id)).toMatchObject({ status: "failed", error_code: "approval_rejected" });
    expect(await log.rows.find("tasks", run.task_id)).toMatchObject({ active_run_id: null });
    await expect(resolveApproval(log, { approval_id, decision: "approve", by: "bob" })).rejects.toMatchObject({
      code: "approval_resolved",
      approval: { by: "ann" },
    });
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
  });

  it("is cancelled together with its approval", async () => {
    const { log, run, approval_id } = await gated();
    await sendCommand(log, { run_id: run.run_id, kind: "cancel", by: "ann", body: { reason: "changed my mind" } });
    expect(await typesOf(log, run.run_id)).toEqual([...opening, "approval.resolved", "run.cancelled", "task.updated"]);
    expect((await envelopesOf(log, run.run_id))[4]?.data).toMatchObject({ by: "ann", reason: "changed my mind" });
    expect(await log.rows.find("approvals", approval_id)).toMatchObject({ status: "cancelled" });
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
  });

  it("is asked about by a line of its own policy, and blocked by another", async () => {
    const { context, workspace, log } = taskRuntime();
    const spec: TaskSpec = { kind: "shell", command: "npm test", workspace: { path: workspace } };
    const asked = await createAndStart(context, { ...spec, policy: ["ask task shell"] });
    expect(asked.status).toBe("awaiting_approval");
    await sendCommand(log, { run_id: asked.run_id, kind: "cancel", by: "a test" });
    await expect(createAndStart(context, { ...spec, policy: ["block shell npm **"] })).rejects.toMatchObject({
      code: "policy_blocked",
    });
  });
});

describe("a queued run", TIMEOUT, () => {
  it("is cancelled without having been started", async () => {
    const { log, context, workspace } = taskRuntime();
    const run = await createAndStart(context, { kind: "shell", command: "true", workspace: { path: workspace } });
    await expect(sendCommand(log, { run_id: run.run_id, kind: "pause", by: "ann" })).rejects.toMatchObject({
      code: "not_running",
    });
    const { command } = await sendCommand(log, { run_id: run.run_id, kind: "cancel", by: "ann" });
    expect(command).toMatchObject({ outcome: "done" });
    expect(await typesOf(log, run.run_id)).toEqual(["run.created", "run.queued", "run.cancelled", "task.updated"]);
    expect(await log.rows.find("queue", run.run_id)).toBeUndefined();
    await expect(sendCommand(log, { run_id: run.run_id, kind: "cancel", by: "ann" })).rejects.toMatchObject({
      code: "run_over",
    });
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
  });

  it("with a greater priority starts first, and equal ones start in their order", async () => {
    const { log, context, startWorker } = taskRuntime();
    const make = async (priority: number) =>
      (
        await createAndStart(context, {
          kind: "shell",
          command: "true",
          priority,
          workspace: { path: temporaryFolder() },
        })
      ).run_id;
    const [low, first, second, high] = [await make(-1), await make(0), await make(0), await make(5)];
    startWorker(1);
    for (const run_id of [low, first, second, high]) await untilStatus(log, run_id);
    const started = await Promise.all(
      [low, first, second, high].map(
        async (run_id) => (await envelopesOf(log, run_id)).find(({ type }) => type === "run.started")?.occurred_at,
      ),
    );
    const order = [high, first, second, low].map((run_id) => started[[low, first, second, high].indexOf(run_id)]);
    expect(order).toEqual([...order].sort());
  });
});

const eventsOf = { pause: "run.paused", unpause: "run.unpaused", cancel: "run.aborted" } as const;

describe("a running command", TIMEOUT, () => {
  it("is paused, continued and cancelled", async () => {
    const { log, context, workspace, startWorker } = taskRuntime();
    startWorker();
    const spec: TaskSpec = { kind: "shell", command: "echo up; sleep 60", workspace: { path: workspace } };
    const { run_id } = await createAndStart(context, spec);
    while (!(await typesOf(log, run_id)).includes("tool.shell.output_chunk"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const kind of ["pause", "unpause", "cancel"] as const) {
      const { command } = await sendCommand(log, { run_id, kind, by: "ann", body: { reason: "enough" } });
      while (!(await typesOf(log, run_id)).includes(eventsOf[kind]))
        await new Promise((resolve) => setTimeout(resolve, 5));
      // The event and the end of its command are one commit.
      expect(await log.rows.find("commands", command.command_id)).toMatchObject({ outcome: "done" });
    }
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "cancelled" });
    await expectProjectionsRebuilt(log);
    const envelopes = await envelopesOf(log, run_id);
    expect(envelopes.map(({ type }) => type).slice(-7)).toEqual([
      ...[
        "run.paused",
        "run.unpaused",
        "tool.shell.exited",
        "tool.cancelled",
        "run.aborted",
        "run.cancelled",
        "task.updated",
      ],
    ]);
    expect(envelopes.at(-2)?.data).toMatchObject({ by: "ann", reason: "enough" });
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("is ended when its worker stops, and told so", async () => {
    const { log, context, workspace, startWorker } = taskRuntime();
    const worker = startWorker();
    const { run_id } = await createAndStart(context, {
      kind: "shell",
      command: "sleep 60",
      workspace: { path: workspace },
    });
    while (!(await typesOf(log, run_id)).includes("tool.shell.command"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await worker.close();
    expect(await log.run(run_id)).toMatchObject({ status: "cancelled" });
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });
});

describe("a lost run", TIMEOUT, () => {
  const gone = { isGone: () => true };
  const loop = (behaviour?: Parameters<typeof createLoopExecutor>[0]) =>
    taskRuntime(new Map([...defaultExecutors(), ["agent_loop", createLoopExecutor(behaviour)]]));
  const spec = (workspace: string): TaskSpec => ({
    kind: "agent_loop",
    prompt: "hello",
    workspace: { path: workspace },
  });

  it("of our loop is queued again and ends once", async () => {
    const { log, context, workspace, startWorker } = loop({ hangs: true });
    const first = startWorker();
    const { run_id } = await createAndStart(context, spec(workspace));
    while (!(await typesOf(log, run_id)).includes("tool.shell.command"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close();
    expect(await recover(log, gone)).toMatchObject([{ action: "requeued" }]);
    expect(await log.run(run_id)).toMatchObject({ status: "queued", attempt: 2 });
    expect(await recover(log, gone)).toEqual([]);
    startWorker();
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", attempt: 2 });
    const types = await typesOf(log, run_id);
    const gap = types.indexOf("gap.run_disconnected");
    expect(types.slice(gap, gap + 7)).toEqual([
      ...[
        "gap.run_disconnected",
        "tool.shell.exited",
        "tool.failed",
        "turn.failed",
        "turn.completed",
        "run.queued",
        "run.started",
      ],
    ]);
    expect(types.filter((type) => type === "run.finished")).toHaveLength(1);
    expect((await envelopesOf(log, run_id))[gap]?.data).toMatchObject({
      ...{ reason: "boot_reconcile", action: "requeued", prior_status: "running", recovered_status: "queued" },
      recovery_strategy: "requeue",
    });
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("fails after three attempts", async () => {
    const { log, context, workspace } = loop();
    const { run_id } = await createAndStart(context, spec(workspace));
    for (const expected of ["requeued", "requeued", "failed"]) {
      await log.queue.claim("elsewhere", ["agent_loop"], 30_000, ({ attempt = 1 }, { worker_id }) => ({
        drafts: [{ type: "run.started", timestamp: Date.now(), json: JSON.stringify({ worker_id }) }],
        facts: { status: "running", worker_id, attempt },
      }));
      expect(await recover(log, gone)).toMatchObject([{ action: expected }]);
    }
    expect(await log.run(run_id)).toMatchObject({ status: "failed", error_code: "process_gone" });
    expect(await log.rows.find("queue", run_id)).toBeUndefined();
  });

  it("with a command that began is never repeated", async () => {
    const { log, context, workspace } = taskRuntime();
    const { run_id } = await createAndStart(context, {
      kind: "shell",
      command: "true",
      workspace: { path: workspace },
    });
    const claim = await log.queue.claim("elsewhere", ["shell"], 30_000, (_, { worker_id }) => ({
      drafts: [
        ["run.started", { worker_id }] as const,
        ["tool.invoked", { tool_call_id: "step-1", tool_name: "shell", kind: "shell" }] as const,
        ["tool.started", { tool_call_id: "step-1", tool_name: "shell", kind: "shell" }] as const,
        ["tool.shell.command", { tool_call_id: "step-1", cwd: "/" }] as const,
      ].map(([type, data]) => ({ type, timestamp: Date.now(), json: JSON.stringify(data) })),
      facts: { status: "running", worker_id },
    }));
    expect(claim?.run.run_id).toBe(run_id);
    expect(await recover(log, gone)).toMatchObject([{ action: "failed" }]);
    expect((await typesOf(log, run_id)).slice(-5)).toEqual([
      ...["gap.run_disconnected", "tool.shell.exited", "tool.failed", "run.failed", "task.updated"],
    ]);
    expect(await log.run(run_id)).toMatchObject({ error_code: "outcome_unknown" });
    expect(await findingsOf(log, [run_id])).toEqual([]);
    const again = await followUp(context, "retry", run_id);
    expect(again).toMatchObject({ status: "queued", prior_run_id: run_id });
  });

  it("whose command was announced but did not begin announces another call", async () => {
    const { log, context, workspace, startWorker } = taskRuntime();
    const { run_id } = await createAndStart(context, {
      kind: "shell",
      command: "true",
      workspace: { path: workspace },
    });
    await log.queue.claim("elsewhere", ["shell"], 30_000, (_, { worker_id }) => ({
      drafts: [
        ["run.started", { worker_id }] as const,
        ["tool.invoked", { tool_call_id: "step-1", tool_name: "shell", kind: "shell" }] as const,
      ].map(([type, data]) => ({ type, timestamp: Date.now(), json: JSON.stringify(data) })),
      facts: { status: "running", worker_id },
    }));
    expect(await recover(log, gone)).toMatchObject([{ action: "requeued" }]);
    startWorker();
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", attempt: 2 });
    const started = (await envelopesOf(log, run_id)).filter(({ type }) => type === "tool.started");
    expect(started.map(({ data }) => data.tool_call_id)).toEqual(["step-2"]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("is not taken over by time alone while its process lives, but is when nobody knows and the lease is long over", async () => {
    const { log, context, workspace } = taskRuntime();
    await createAndStart(context, { kind: "shell", command: "true", workspace: { path: workspace } });
    await log.queue.claim("elsewhere", ["shell"], 30_000, (_, { worker_id }) => ({
      drafts: [],
      facts: { status: "running", worker_id },
    }));
    const later = () => Date.now() + 95_000;
    expect(await recover(log, { isGone: () => false, now: later })).toEqual([]);
    expect(await recover(log, { isGone: () => undefined })).toEqual([]);
    expect(await recover(log, { isGone: () => undefined, now: later })).toMatchObject([{ action: "requeued" }]);
  });

  it("that is parked stays parked, and the last of its answers queues it", async () => {
    const { log, context, workspace, startWorker } = loop({ approvals: 2 });
    startWorker();
    const { run_id } = await createAndStart(context, spec(workspace));
    await untilStatus(log, run_id, "awaiting_approval");
    expect(await recover(log, gone)).toEqual([]);
    expect(await log.rows.find("queue", run_id)).toBeUndefined();
    const { rows } = await log.rows.list("approvals", { where: { run_id } });
    await Promise.all(
      rows.map(({ approval_id }) => resolveApproval(log, { approval_id, decision: "approve", by: "ann" })),
    );
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    const types = await typesOf(log, run_id);
    const last = types.lastIndexOf("approval.resolved");
    expect(types.slice(last, last + 3)).toEqual(["approval.resolved", "run.queued", "run.started"]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });
});

describe("a parked run", TIMEOUT, () => {
  it("is ended by one of two refusals at once, and the other one is told that it came too late", async () => {
    const executors = new Map([["agent_loop", createLoopExecutor({ approvals: 2 })]]);
    const { log, context, workspace, startWorker } = taskRuntime(executors);
    startWorker();
    const spec: TaskSpec = { kind: "agent_loop", prompt: "hello", workspace: { path: workspace } };
    const { run_id } = await createAndStart(context, spec);
    await untilStatus(log, run_id, "awaiting_approval");
    const { rows } = await log.rows.list("approvals", { where: { run_id } });
    const answers = await Promise.allSettled(
      rows.map(({ approval_id }) => resolveApproval(log, { approval_id, decision: "reject", by: approval_id })),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(answers.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "approval_gone" } });
    const cancelled = (await log.rows.list("approvals", { where: { run_id, status: "cancelled" } })).rows;
    expect(cancelled).toHaveLength(1);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("waits in no queue after a repair", async () => {
    const executors = new Map([["agent_loop", createLoopExecutor({ approvals: 1 })]]);
    const { log, directory, context, workspace, startWorker } = taskRuntime(executors);
    startWorker();
    const spec: TaskSpec = { kind: "agent_loop", prompt: "hello", workspace: { path: workspace } };
    const { run_id } = await createAndStart(context, spec);
    await untilStatus(log, run_id, "awaiting_approval");
    await repair(log, { directory });
    expect(await log.rows.find("queue", run_id)).toBeUndefined();
    expect(await log.run(run_id)).toMatchObject({ status: "awaiting_approval", parked: true });
  });
});

describe("many runs at once", { timeout: 120_000 }, () => {
  it("keep their events in order", async () => {
    const { log, context, startWorker } = taskRuntime();
    startWorker(16);
    const workspace = temporaryFolder();
    const runs = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        createAndStart(context, {
          kind: "shell",
          command: `echo ${index}`,
          workspace: { path: workspace, share: true },
        }),
      ),
    );
    for (const { run_id } of runs) expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(
      await findingsOf(
        log,
        runs.map(({ run_id }) => run_id),
      ),
    ).toEqual([]);
    for (const [index, { run_id }] of runs.entries()) {
      const envelopes = await envelopesOf(log, run_id);
      expect(envelopes.map(({ sequence }) => sequence)).toEqual(envelopes.map((_, place) => place));
      expect(envelopes.find(({ type }) => type === "tool.shell.output_chunk")?.data.data).toBe(`${index}\n`);
    }
    expect((await log.rows.list("queue")).rows).toEqual([]);
  });
});
