import { existsSync } from "node:fs";
import path from "node:path";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it, vi } from "vitest";
import { loopRuntime, shortTypes } from "../../../testing/loop/loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "../../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { resolveApproval } from "../../runtime/approvals/resolve.ts";
import { taskCost } from "../../runtime/budgets/task-cost.ts";
import { sendCommand } from "../../runtime/commands/send.ts";
import { recover } from "../../runtime/recovery/recover.ts";
import { performOwn } from "../door/perform-own.ts";

const TIMEOUT = { timeout: 60_000 };
const WAIT = { timeout: 30_000 };
const spawn = (prompt: string, more: object = {}): ScriptedTurn => ({
  calls: [{ name: "subagent", input: { name: "helper", prompt, ...more } }],
});
const shell = (command: string): ScriptedTurn => ({ calls: [{ name: "shell", input: { command } }] });

describe("a subagent", TIMEOUT, () => {
  it("is a run of its own in the task of its parent, whose answer ends the call", async () => {
    const { log, start, startWorker, typesOf } = runtime({
      main: [spawn("side task"), { text: "All done." }],
      "side task": [{ calls: [{ name: "write", input: { path: "made.txt", content: "x" } }] }, { text: "I made it." }],
    });
    startWorker(1);
    const { run_id, task_id } = await start("main", { approve: "yolo" });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", turns: 2 });
    const child = await childOf(log, run_id);
    expect(child).toMatchObject({
      task_id,
      parent_run_id: run_id,
      status: "completed",
      title: "helper",
      kind: "agent_loop",
    });
    const own = shortTypes(await typesOf(run_id));
    // What the subagent changed is a change of its parent's call, too.
    expect(own.slice(own.indexOf("tool.started"), own.indexOf("turn.completed"))).toEqual([
      ...["tool.started", "subagent.started", "subagent.completed", "tool.completed"],
      ...["tool.file_write.proposed", "tool.file.patch", "artifact.created", "tool.file_write.applied"],
    ]);
    const envelopes = await envelopesOf(log, run_id);
    const dataOf = (type: string) => envelopes.find((each) => each.type === type)?.data;
    expect(dataOf("tool.invoked")).toMatchObject({ kind: "subagent", tool_name: "subagent" });
    expect(dataOf("subagent.started")).toMatchObject({
      agent_name: "helper",
      prompt: "side task",
      child_run_id: child.run_id,
    });
    expect(dataOf("subagent.completed")).toMatchObject({
      summary: "I made it.",
      total_usd: expect.any(Number),
    });
    expect(dataOf("tool.completed")).toMatchObject({ output: "I made it." });
    const session = (await envelopesOf(log, child.run_id)).find(({ type }) => type === "session.started");
    expect(session?.data.parent_run_id).toBe(run_id);
    expect(await findingsOf(log, [run_id, child.run_id])).toEqual([]);
    // The cost of both is the cost of the task, whose status is that of the parent.
    const costs = [await log.run(run_id), child].map((run) => run?.cost_micros_usd ?? 0);
    expect((await taskCost(log, task_id)).micros).toBe((costs[0] ?? 0) + (costs[1] ?? 0));
    expect(await log.task(task_id)).toMatchObject({ latest_run_id: run_id, status: "completed" });
    await expectProjectionsRebuilt(log);
  });

  it("asks like any other run, and both wait without a process", async () => {
    const { log, start, startWorker, workspace, typesOf } = runtime({
      main: [spawn("side task"), { text: "All done." }],
      "side task": [shell("touch made"), { text: "Made." }],
    });
    startWorker(1);
    const { run_id } = await start("main");
    const approval = await pendingOf(log);
    const child = await childOf(log, run_id);
    expect(approval).toMatchObject({ run_id: child.run_id, kind: "agent_loop_tool_call" });
    // The parent has no worker either.
    await vi.waitFor(async () => expect(await log.run(run_id)).toMatchObject({ status: "queued" }), WAIT);
    expect((await log.rows.find("queue", run_id))?.worker_id).toBeNull();
    expect(existsSync(path.join(workspace, "made"))).toBe(false);
    await resolveApproval(log, { approval_id: approval.approval_id, decision: "approve", by: "test" });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(existsSync(path.join(workspace, "made"))).toBe(true);
    const types = await typesOf(run_id);
    expect(types.filter((type) => ["tool.started", "subagent.started", "subagent.completed"].includes(type))).toEqual([
      ...["tool.started", "subagent.started", "subagent.completed"],
    ]);
    expect(await findingsOf(log, [run_id, child.run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("that was answered while nobody works does not keep its parent waiting, nor does a repaired log", async () => {
    const { log, start, startWorker } = runtime({
      main: [spawn("side task"), { text: "All done." }],
      "side task": [shell("touch made"), { text: "Made." }],
    });
    const worker = startWorker();
    const { run_id } = await start("main");
    const { approval_id } = await pendingOf(log);
    await vi.waitFor(async () => expect(await log.run(run_id)).toMatchObject({ status: "queued" }), WAIT);
    await expectProjectionsRebuilt(log);
    await worker.close();
    await resolveApproval(log, { approval_id, decision: "approve", by: "test" });
    expect(await log.rows.find("queue", run_id)).toMatchObject({ due_at: 0 });
    await expectProjectionsRebuilt(log);
    startWorker();
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    await expectProjectionsRebuilt(log);
  });

  it("asks in a run that a terminal performs, which waits for the answer and not in a circle", async () => {
    const { log, directory, start, executor, typesOf } = runtime({
      main: [spawn("side task"), { text: "All done." }],
      "side task": [shell("touch made"), { text: "Made." }],
    });
    const { run_id } = await start("main");
    const stopping = new AbortController();
    const performed = performOwn({ log, directory, run_id, executor, name: "cli", stopping: stopping.signal });
    const { approval_id } = await pendingOf(log);
    const queued = async () => (await typesOf(run_id)).filter((type) => type === "run.queued").length;
    await vi.waitFor(async () => expect(await queued()).toBe(2), WAIT);
    await resolveApproval(log, { approval_id, decision: "approve", by: "test" });
    await performed;
    expect(await log.run(run_id)).toMatchObject({ status: "completed" });
    expect(await queued()).toBe(2);
    expect(await findingsOf(log, [run_id, (await childOf(log, run_id)).run_id])).toEqual([]);
  });

  it("that is refused fails, and its parent goes on", async () => {
    const { log, start, startWorker, model } = runtime({
      main: [spawn("side task"), { text: "Then not." }],
      "side task": [shell("touch made"), { text: "Made." }],
    });
    startWorker();
    const { run_id } = await start("main", { on_reject: "fail" });
    const { approval_id } = await pendingOf(log);
    await resolveApproval(log, { approval_id, decision: "reject", by: "ann" });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    const child = await childOf(log, run_id);
    expect(child.status).toBe("failed");
    expect(model.requests.at(-1)).toContain("The subagent helper failed: ann rejected it.");
    expect(await findingsOf(log, [run_id, child.run_id])).toEqual([]);
  });

  it.each(["running", "waiting"])("that is %s is cancelled with its parent", async (state) => {
    const { log, start, startWorker } = runtime({
      main: [spawn("side task"), { text: "All done." }],
      "side task": [state === "running" ? { text: "Well", hangs: true } : shell("touch made"), { text: "Made." }],
    });
    startWorker();
    const { run_id } = await start("main");
    if (state === "waiting") {
      await pendingOf(log);
      await vi.waitFor(async () => expect(await log.run(run_id)).toMatchObject({ status: "queued" }), WAIT);
    } else {
      await vi.waitFor(async () => expect((await childOf(log, run_id)).turns).toBe(1), WAIT);
    }
    await sendCommand(log, { run_id, kind: "cancel", by: "test" });
    expect(await untilStatus(log, run_id, "cancelled")).toMatchObject({ status: "cancelled" });
    const child = await childOf(log, run_id);
    expect(await untilStatus(log, child.run_id, "cancelled")).toMatchObject({ status: "cancelled" });
    expect(await findingsOf(log, [run_id, child.run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("starts subagents down to a depth of two, and a run starts sixteen at most", async () => {
    const deep = runtime({
      main: [spawn("one"), { text: "All done." }],
      one: [spawn("two"), { text: "One." }],
      two: [spawn("three"), { text: "Two." }],
    });
    deep.startWorker(1);
    const { run_id, task_id } = await deep.start("main", { approve: "yolo" });
    expect(await untilStatus(deep.log, run_id)).toMatchObject({ status: "completed" });
    const { runs } = await deep.log.runs({ task_id });
    expect(runs.map(({ title }) => title)).toHaveLength(3);
    expect(deep.model.requests.join("\n")).toContain("There is no tool subagent.");
    const wide = runtime({
      main: [...Array.from({ length: 17 }, () => spawn("one")), { text: "Done." }],
      one: [{ text: "1" }],
    });
    wide.startWorker();
    const many = await wide.start("main", { approve: "yolo" });
    expect(await untilStatus(wide.log, many.run_id)).toMatchObject({ status: "completed" });
    expect((await wide.log.runs({ task_id: many.task_id })).runs).toHaveLength(17);
    expect(wide.model.requests.at(-1)).toContain("A run starts at most 16 subagents.");
  });

  it("is never started twice when its process dies: its call is told as interrupted, and it is cancelled", async () => {
    const { log, start, startWorker, model } = runtime({
      main: [spawn("side task"), { text: "Without it." }],
      "side task": [{ text: "Well", hangs: true }],
    });
    startWorker();
    const { run_id, task_id } = await start("main");
    await vi.waitFor(async () => expect((await childOf(log, run_id)).turns).toBe(1), WAIT);
    const lost = await recover(log, { isGone: () => true });
    expect(lost.map(({ run }) => run.run_id).toSorted()).toEqual(
      [run_id, (await childOf(log, run_id)).run_id].toSorted(),
    );
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    const { runs } = await log.runs({ task_id });
    expect(runs).toHaveLength(2);
    const child = await childOf(log, run_id);
    expect(await untilStatus(log, child.run_id)).toMatchObject({ status: "cancelled" });
    expect(model.requests.at(-1)).toContain("may or may not have happened");
    expect(await findingsOf(log, [run_id, child.run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("that cannot be started is an error for the model", async () => {
    const { log, start, startWorker, model } = runtime(
      {
        main: [spawn("side task", { model: "nobody/nothing" }), spawn("side task"), { text: "Alone." }],
      },
      (name) => {
        if (name === "nobody/nothing") throw new Error("There is no provider nobody.");
      },
    );
    startWorker();
    const { run_id, task_id } = await start("main", { approve: "yolo" });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(model.requests.at(-1)).toContain("The subagent was not started: There is no provider nobody.");
    expect((await log.runs({ task_id })).runs).toHaveLength(2);
  });

  it("spends the budget of the task", async () => {
    const usage = { input: 900_000, output: 0 };
    const { log, start, startWorker } = runtime({
      main: [spawn("side task"), { text: "All done." }],
      "side task": [{ text: "Expensive.", usage }],
    });
    startWorker();
    const { run_id } = await start("main", { approve: "yolo", budget_micros_usd: 900_000 });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "failed", error_code: "budget_exceeded" });
    const child = await childOf(log, run_id);
    expect(await findingsOf(log, [run_id, child.run_id])).toEqual([]);
  });
});

/** A runtime whose model plays the script of the prompt that a run begins with. */
function runtime(scripts: Readonly<Record<string, readonly ScriptedTurn[]>>, checkModel = (_name: string): void => {}) {
  const model = scriptedModel((options) => {
    const script = scripts[promptOf(options)] ?? [];
    const answers = options.prompt.filter(({ role }) => role === "assistant").length;
    return script[answers] ?? { text: "The script is over." };
  });
  const findModel = async (name: string) => {
    checkModel(name);
    return model;
  };
  return { ...loopRuntime(model, { findModel }), model };
}

function promptOf({ prompt }: LanguageModelV4CallOptions): string {
  const first = prompt.find(({ role }) => role === "user")?.content;
  const [part] = Array.isArray(first) ? first : [];
  return part !== undefined && "text" in part ? part.text : "";
}

async function childOf(log: Log, parent: string): Promise<StoredRun> {
  const { runs } = await log.runs();
  const child = runs.find(({ parent_run_id }) => parent_run_id === parent);
  if (!child) throw new Error("There is no subagent yet.");
  return child;
}

const pendingOf = (log: Log) =>
  vi.waitFor(async () => {
    const { rows } = await log.rows.list("approvals", { where: { status: "pending" } });
    const [row] = rows;
    if (!row) throw new Error("Nobody is asked yet.");
    return row;
  }, WAIT);
