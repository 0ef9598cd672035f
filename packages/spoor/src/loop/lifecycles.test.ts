import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { approvalsOf, loopRuntime, shortTypes, untilTypes } from "../../testing/loop/loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { expireApprovals } from "../runtime/approvals/deadline.ts";
import { resolveApproval } from "../runtime/approvals/resolve.ts";
import { sendCommand } from "../runtime/commands/send.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { followUp } from "../runtime/tasks/start.ts";

const TIMEOUT = { timeout: 60_000 };
const opening = ["run.created", "run.queued", "run.started", "user.message", "session.started"];
const answer = [
  ...["turn.started", "assistant.text_complete", "cost.tick", "assistant.final_answer", "turn.completed"],
  "run.checkpoint_saved",
];
const ending = ["session.ended", "run.finished", "task.updated"];
const proposal = [
  ...["turn.started", "assistant.tool_call_proposed", "tool.invoked", "cost.tick", "run.checkpoint_saved"],
];
const turnEnd = ["turn.completed", "run.checkpoint_saved"];
const command = [
  "tool.started",
  "tool.shell.command",
  "tool.shell.output_chunk",
  "tool.shell.exited",
  "tool.completed",
];

const echo: ScriptedTurn = { calls: [{ name: "shell", input: { command: "echo hi" } }] };
const done: ScriptedTurn = { text: "Done." };

/** Starts a run of a script, with a worker. */
async function play(script: readonly ScriptedTurn[], spec: Partial<TaskSpec> = {}) {
  const model = scriptedModel(script);
  const runtime = loopRuntime(model);
  runtime.startWorker();
  const run = await runtime.start("Do it.", spec);
  const types = async (run_id = run.run_id) => shortTypes(await runtime.typesOf(run_id));
  const over = (run_id = run.run_id) => untilStatus(runtime.log, run_id);
  const dataOf = async (type: string, run_id = run.run_id) =>
    (await envelopesOf(runtime.log, run_id)).filter((each) => each.type === type).map(({ data }) => data);
  const check = async (...run_ids: string[]) => {
    expect(await findingsOf(runtime.log, run_ids.length > 0 ? run_ids : [run.run_id])).toEqual([]);
    await expectProjectionsRebuilt(runtime.log);
  };
  return { ...runtime, model, run, run_id: run.run_id, types, over, dataOf, check };
}

describe("a run of the loop", TIMEOUT, () => {
  it("answers in one turn", async () => {
    const { types, over, check, dataOf } = await play([{ thinking: "Hm.", text: "Hello there." }]);
    expect(await over()).toMatchObject({ status: "completed", turns: 1, cost_micros_usd: 110 });
    expect(await types()).toEqual([...opening, ...answer, ...ending]);
    expect(await dataOf("turn.started")).toMatchObject([{ model: "scripted-1", provider: "scripted" }]);
    expect((await dataOf("turn.started"))[0]?.input_tokens_estimate).toBeGreaterThan(0);
    expect(await dataOf("turn.completed")).toMatchObject([
      { run_cumulative_cost_micros_usd: 110, task_cumulative_cost_micros_usd: 110, stop_reason: "stop" },
    ]);
    await check();
  });

  it("runs an allowed command and tells the model its output", async () => {
    const { types, over, check, model, dataOf } = await play([echo, done], { policy: ["allow shell echo **"] });
    expect(await over()).toMatchObject({ status: "completed", turns: 2 });
    expect(await types()).toEqual([...opening, ...proposal, ...command, ...turnEnd, ...answer, ...ending]);
    expect(await dataOf("tool.started")).toMatchObject([{ policy_id: "task:1" }]);
    expect(JSON.parse(model.requests[1] ?? "").prompt.at(-1)).toMatchObject({
      role: "tool",
      content: [{ toolCallId: "call-1-1", output: { type: "text", value: "hi\n" } }],
    });
    await check();
  });

  it("is parked until a person approves, and goes on in the same turn", async () => {
    const { log, types, over, check, run_id } = await play([echo, done]);
    await untilStatus(log, run_id, "awaiting_approval");
    expect(await log.run(run_id)).toMatchObject({ parked: true, pending: 1 });
    expect(await log.rows.find("queue", run_id)).toBeUndefined();
    const [approval] = await approvalsOf(log, run_id);
    expect(approval).toMatchObject({ kind: "agent_loop_tool_call" });
    expect(JSON.parse(approval?.action ?? "")).toMatchObject({ detail: "echo hi" });
    await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "approve", by: "ann" });
    expect(await over()).toMatchObject({ status: "completed", turns: 2 });
    expect(await types()).toEqual([
      ...[...opening, ...proposal, "approval.requested", "approval.resolved", "run.queued", "run.started"],
      ...[...command, ...turnEnd, ...answer, ...ending],
    ]);
    await check();
  });

  it("asks about all calls before it is parked, and runs them in their order after the last answer", async () => {
    const calls = [
      { name: "shell", input: { command: "echo 1" } },
      { name: "read", input: { path: "a.txt" } },
      { name: "shell", input: { command: "echo 2" } },
    ];
    const { log, workspace, over, check, run_id, dataOf, typesOf } = await play([{ calls }, done]);
    writeFileSync(path.join(workspace, "a.txt"), "A");
    await untilStatus(log, run_id, "awaiting_approval");
    const approvals = await approvalsOf(log, run_id);
    expect(approvals.map(({ action }) => JSON.parse(action ?? "").detail)).toEqual(["echo 1", "echo 2"]);
    expect(await typesOf(run_id)).not.toContain("tool.started");
    for (const { approval_id } of approvals)
      await resolveApproval(log, { approval_id, decision: "approve", by: "ann" });
    expect(await over()).toMatchObject({ status: "completed" });
    expect((await dataOf("tool.started")).map(({ tool_call_id }) => tool_call_id)).toEqual([
      ...["call-1-1", "call-1-2", "call-1-3"],
    ]);
    await check();
  });

  it("fails when a person rejects a call", async () => {
    const { log, types, over, check, run_id } = await play([echo, done]);
    await untilStatus(log, run_id, "awaiting_approval");
    const [approval] = await approvalsOf(log, run_id);
    await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "reject", by: "ann" });
    expect(await over()).toMatchObject({ status: "failed", error_code: "approval_rejected" });
    expect(await types()).toEqual([
      ...[...opening, ...proposal, "approval.requested", "approval.resolved", "tool.cancelled", "turn.completed"],
      ...["error.reported", "session.ended", "run.failed", "task.updated"],
    ]);
    await check();
  });

  it("tells the model of a rejection and goes on if the task says so", async () => {
    const { log, over, check, run_id, model } = await play([echo, done], { on_reject: "continue" });
    await untilStatus(log, run_id, "awaiting_approval");
    const [approval] = await approvalsOf(log, run_id);
    const comment = "Not on Fridays.";
    await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "reject", by: "ann", comment });
    expect(await over()).toMatchObject({ status: "completed" });
    expect(model.requests[1]).toContain("ann rejected this call. Not on Fridays.");
    await check();
  });

  it("fails when nobody answers in time", async () => {
    const { log, types, over, check, run_id } = await play([echo, done], { approval_timeout_ms: 1 });
    await untilStatus(log, run_id, "awaiting_approval");
    await expireApprovals(log, Date.now() + 10_000);
    expect(await over()).toMatchObject({ status: "failed", error_code: "approval_timed_out" });
    expect((await types()).slice(opening.length + proposal.length)).toEqual([
      ...["approval.requested", "approval.timed_out", "tool.cancelled", "turn.completed", "error.reported"],
      ...["session.ended", "run.failed", "task.updated"],
    ]);
    await check();
  });

  it("goes on after a rule has blocked a call", async () => {
    const { types, over, check, model, dataOf } = await play([echo, done], { policy: ["block shell echo **"] });
    expect(await over()).toMatchObject({ status: "completed" });
    expect(await types()).toEqual([
      ...[...opening, ...proposal, "policy.tool_blocked", ...turnEnd, ...answer, ...ending],
    ]);
    const [blocked] = await dataOf("policy.tool_blocked");
    expect(blocked).toMatchObject({ policy_id: "task:1" });
    expect(model.requests[1]).toContain(JSON.stringify(blocked?.reason));
    await check();
  });

  it("cancels a command that runs", async () => {
    const sleep: ScriptedTurn = { calls: [{ name: "shell", input: { command: "echo hi; exec sleep 100" } }] };
    const { log, types, over, check, run_id } = await play([sleep, done], { approve: "auto" });
    await untilTypes(log, run_id, "tool.shell.output_chunk");
    await sendCommand(log, { run_id, kind: "cancel", by: "ann", body: { reason: "enough" } });
    expect(await over()).toMatchObject({ status: "cancelled" });
    expect((await types()).slice(opening.length + proposal.length)).toEqual([
      ...["tool.started", "tool.shell.command", "tool.shell.output_chunk", "tool.shell.exited", "tool.cancelled"],
      ...["turn.completed", "run.aborted", "session.ended", "run.cancelled", "task.updated"],
    ]);
    await check();
  });

  it("is cancelled while it waits for a person", async () => {
    const { log, types, over, check, run_id } = await play([echo, done]);
    await untilStatus(log, run_id, "awaiting_approval");
    await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
    expect(await over()).toMatchObject({ status: "cancelled" });
    expect((await types()).slice(opening.length + proposal.length)).toEqual([
      ...["approval.requested", "approval.resolved", "tool.cancelled", "turn.completed", "run.aborted"],
      ...["session.ended", "run.cancelled", "task.updated"],
    ]);
    await check();
  });

  it("stops when its budget is spent", async () => {
    const { types, over, check } = await play([{ ...echo, usage: { input: 2_000, output: 1 } }, done], {
      budget_micros_usd: 2_000,
    });
    expect(await over()).toMatchObject({ status: "failed", error_code: "budget_exceeded" });
    expect((await types()).slice(opening.length)).toEqual([
      ...["turn.started", "assistant.tool_call_proposed", "tool.invoked", "cost.tick", "cost.budget_exceeded"],
      ...["tool.cancelled", "turn.completed", "error.reported", "session.ended", "run.failed", "task.updated"],
    ]);
    await check();
  });

  it("makes no call whose input alone would spend the budget", async () => {
    const { types, over, check, model } = await play([done], { budget_micros_usd: 5 });
    expect(await over()).toMatchObject({ status: "failed", error_code: "budget_exceeded" });
    expect(model.requests).toEqual([]);
    expect((await types()).slice(opening.length)).toEqual([
      ...["cost.budget_exceeded", "error.reported", "session.ended", "run.failed", "task.updated"],
    ]);
    await check();
  });

  it("stops at its turn limit", async () => {
    const { types, over, check } = await play([echo, echo, done], { max_turns: 1, approve: "auto" });
    expect(await over()).toMatchObject({ status: "failed", error_code: "turn_limit", turns: 1 });
    expect((await types()).slice(-4)).toEqual(["turn.limit_reached", "session.ended", "run.failed", "task.updated"]);
    await check();
  });

  it.each([
    ["a blank answer", { text: "  " }, "blank_answer", 1],
    ["an answer that breaks off again and again", { text: "Half an", finish: "error" }, "upstream_cut_off", 5],
  ] as const)("fails on %s, as a failure of the provider that a retry can help", async (_, turn, code, turns) => {
    const { types, over, check, dataOf } = await play([turn]);
    expect(await over()).toMatchObject({ status: "failed", error_code: "upstream_error", turns });
    expect((await types()).slice(-6)).toEqual([
      ...["turn.failed", "turn.completed", "error.reported", "session.ended", "run.failed", "task.updated"],
    ]);
    expect((await dataOf("turn.failed")).at(-1)).toMatchObject({ code, will_retry: false });
    expect(await dataOf("error.reported")).toMatchObject([{ code: "UPSTREAM_ERROR", recoverable: false }]);
    expect(await dataOf("run.failed")).toMatchObject([{ code: "upstream_error", retriable: true }]);
    await check();
  });

  it("answers bad arguments and unknown tools to the model", async () => {
    const calls = [
      { name: "shell", input: { cmd: 1 } },
      { name: "fly", input: {} },
      { name: "shell", input: '{"command": ' },
    ];
    const { over, check, model, typesOf, run_id } = await play([{ calls }, done]);
    expect(await over()).toMatchObject({ status: "completed" });
    const results = JSON.parse(model.requests[1] ?? "")
      .prompt.at(-1)
      .content.map(({ output }: never) => output);
    expect(results).toMatchObject([
      { type: "error-text", value: expect.stringContaining('"command" is missing') },
      { type: "error-text", value: expect.stringContaining("There is no tool fly.") },
      { type: "error-text", value: "The arguments are not valid JSON." },
    ]);
    expect(await typesOf(run_id)).not.toContain("tool.started");
    await check();
  });

  it("keeps the change of a file as a patch of its call", async () => {
    const write: ScriptedTurn = { calls: [{ name: "write", input: { path: "a.txt", content: "new\n" } }] };
    const { log, workspace, over, check, run_id } = await play([write, done], { approve: "auto" });
    expect(await over()).toMatchObject({ status: "completed", files_changed: 1, additions: 1 });
    expect(readFileSync(path.join(workspace, "a.txt"), "utf8")).toBe("new\n");
    const { rows } = await log.rows.list("artifacts", { where: { run_id, kind: "patch" } });
    expect(rows).toMatchObject([{ path: "a.txt", tool_call_ids: '["call-1-1"]', attribution: "call" }]);
    await check();
  });

  it("keeps the patch of a call that waited for a person, and tells each command's own changes", async () => {
    const calls = ["1", "2"].map((n) => ({ name: "shell", input: { command: `echo ${n} > ${n}.txt` } }));
    const { log, over, check, run_id } = await play([{ calls }, done]);
    await untilStatus(log, run_id, "awaiting_approval");
    for (const { approval_id } of await approvalsOf(log, run_id))
      await resolveApproval(log, { approval_id, decision: "approve", by: "ann" });
    expect(await over()).toMatchObject({ status: "completed", files_changed: 2 });
    const { rows } = await log.rows.list("artifacts", { where: { run_id, kind: "patch" } });
    expect(rows.map(({ path: file, tool_call_ids }) => [file, tool_call_ids])).toEqual([
      ["1.txt", '["call-1-1"]'],
      ["2.txt", '["call-1-2"]'],
    ]);
    await check();
  });

  it("is paused between two turns without a worker, and goes on when it is unpaused", async () => {
    const slow: ScriptedTurn = {
      calls: [{ name: "shell", input: { command: "until [ -e go ]; do sleep 0.01; done" } }],
    };
    const { log, workspace, types, over, check, run_id } = await play([slow, done], { approve: "auto" });
    await untilTypes(log, run_id, "tool.started");
    await sendCommand(log, { run_id, kind: "pause", by: "ann" });
    writeFileSync(path.join(workspace, "go"), "");
    await untilStatus(log, run_id, "queued");
    expect(await log.run(run_id)).toMatchObject({ paused: true });
    expect(await log.rows.find("queue", run_id)).toBeUndefined();
    await sendCommand(log, { run_id, kind: "unpause", by: "ann" });
    expect(await over()).toMatchObject({ status: "completed" });
    expect((await types()).slice(-14)).toEqual([
      ...["run.checkpoint_saved", "run.paused", "run.queued", "run.started", "run.unpaused", ...answer, ...ending],
    ]);
    await check();
  });

  it("takes a further prompt between two turns, also after its answer", async () => {
    const slow: ScriptedTurn = {
      calls: [{ name: "shell", input: { command: "until [ -e go ]; do sleep 0.01; done" } }],
    };
    const { log, workspace, over, check, run_id, model, dataOf } = await play([slow, done], { approve: "auto" });
    await untilTypes(log, run_id, "tool.started");
    await sendCommand(log, { run_id, kind: "send", by: "ann", body: { text: "Also write tests." } });
    writeFileSync(path.join(workspace, "go"), "");
    expect(await over()).toMatchObject({ status: "completed" });
    expect(await dataOf("user.message")).toMatchObject([{ via: "prompt" }, { via: "send", by: "ann", turn_index: 1 }]);
    expect(JSON.parse(model.requests[1] ?? "").prompt.at(-1).content[0].text).toBe("Also write tests.");
    await check();
  });

  it("retries a call of the model that failed, as the next turn", async () => {
    let failures = 2;
    const model = scriptedModel(() => (failures-- > 0 ? { text: "Half an", error: new Error("overloaded") } : done));
    const runtime = loopRuntime(model, {
      failureOf: () => ({ kind: "overloaded", code: "RATE_LIMITED", message: "Busy.", status: 529, retriable: true }),
    });
    runtime.startWorker();
    const { run_id } = await runtime.start("Do it.");
    expect(await untilStatus(runtime.log, run_id)).toMatchObject({ status: "completed", turns: 3 });
    const failed = [
      ...["turn.started", "assistant.text_complete", "error.upstream", "limit.retry_scheduled", "turn.failed"],
      "turn.completed",
    ];
    expect(shortTypes(await runtime.typesOf(run_id))).toEqual([...opening, ...failed, ...failed, ...answer, ...ending]);
    expect(new Set(model.requests).size).toBe(1);
    expect(await findingsOf(runtime.log, [run_id])).toEqual([]);
  });

  it("gives the model the instructions of the repository, and keeps them with the run", async () => {
    const model = scriptedModel([done]);
    const runtime = loopRuntime(model);
    writeFileSync(path.join(runtime.workspace, "AGENTS.md"), "Use tabs.");
    mkdirSync(path.join(runtime.workspace, "CLAUDE.md"));
    runtime.startWorker();
    const { run_id } = await runtime.start("Do it.");
    await untilStatus(runtime.log, run_id);
    expect(JSON.parse(model.requests[0] ?? "").prompt[0].content).toContain("Use tabs.");
    expect(await runtime.typesOf(run_id)).toContain("skill.agentdoc_read");
    expect(await findingsOf(runtime.log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(runtime.log);
  });

  it("shortens a conversation that fills the context, and gives the model the summary from then on", async () => {
    const long = "x ".repeat(4_000);
    const model = scriptedModel(
      ({ prompt }) => {
        const last = JSON.stringify(prompt.at(-1));
        if (last.includes("Sum up this conversation")) return { text: "A long text was read." };
        return last.includes("A long text was read.")
          ? done
          : { text: long, calls: [{ name: "read", input: { path: "a.txt" } }] };
      },
      { contextTokens: 2_500 },
    );
    const runtime = loopRuntime(model);
    writeFileSync(path.join(runtime.workspace, "a.txt"), "A");
    runtime.startWorker();
    const { run_id } = await runtime.start("Read it.");
    expect(await untilStatus(runtime.log, run_id)).toMatchObject({ status: "completed", turns: 2 });
    const compacted = (await envelopesOf(runtime.log, run_id)).find(({ type }) => type === "limit.context_compacted");
    expect(JSON.parse(model.requests.at(-1) ?? "").prompt.slice(1)).toEqual([
      { role: "user", content: [{ type: "text", text: compacted?.data.summary }] },
    ]);
    expect(compacted?.data.summary).toContain("Read it.");
    expect(await findingsOf(runtime.log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(runtime.log);
  });
});

describe("a run that goes on from another", TIMEOUT, () => {
  const script: ScriptedTurn[] = [{ thinking: "Look.", ...echo }, done, { text: "More." }, { text: "Even more." }];

  it("continues the conversation", async () => {
    const { log, context, over, check, run_id, types, model, dataOf } = await play(script, { approve: "auto" });
    await over();
    const next = await followUp(context, "continue", run_id, { prompt: "And now?" });
    expect(await over(next.run_id)).toMatchObject({ status: "completed", turns: 1 });
    expect(await types(next.run_id)).toEqual([
      ...["run.created", "run.resumed_from_event", "run.queued", "run.started", "user.message", "session.started"],
      ...["session.resumed", ...answer, ...ending],
    ]);
    expect(await dataOf("session.resumed", next.run_id)).toMatchObject([{ prior_turn_count: 2 }]);
    const [, second, third] = model.requests.map((request) => JSON.parse(request).prompt);
    expect(third).toEqual([
      ...second,
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
      { role: "user", content: [{ type: "text", text: "And now?" }] },
    ]);
    expect(JSON.stringify(second)).toContain("signed:Look.");
    await check(run_id, next.run_id);
    expect((await log.run(next.run_id))?.session_id).toBe((await log.run(run_id))?.session_id);
  });

  it("forks the conversation into a task of its own", async () => {
    const { context, over, check, run_id, types } = await play(script, { approve: "auto" });
    await over();
    const next = await followUp(context, "fork", run_id, { prompt: "Another way?" });
    expect(await over(next.run_id)).toMatchObject({ status: "completed" });
    expect((await types(next.run_id)).slice(0, 7)).toEqual([
      ...["run.created", "run.resumed_from_event", "run.queued", "run.started", "user.message", "session.started"],
      "session.forked",
    ]);
    await check(run_id, next.run_id);
  });

  it("retries from a turn: the conversation ends before it", async () => {
    const { context, over, check, run_id, types, model, dataOf } = await play(script, { approve: "auto" });
    await over();
    const next = await followUp(context, "retry-from-turn", run_id, { turn: 2 });
    expect(await over(next.run_id)).toMatchObject({ status: "completed" });
    expect(await types(next.run_id)).toEqual([
      ...["run.created", "run.resumed_from_event", "run.queued", "run.started", "session.started", "session.resumed"],
      ...[...answer, ...ending],
    ]);
    expect(await dataOf("run.resumed_from_event", next.run_id)).toMatchObject([{ retry_from_turn: 2 }]);
    expect(model.requests[2]).toBe(model.requests[1]);
    await check(run_id, next.run_id);
  });

  it("begins anew and says so if the conversation cannot be rebuilt", async () => {
    const { log, context, over, check, run_id, types, model } = await play(script, { approve: "auto" });
    await over();
    const { rows } = await log.rows.list("artifacts", { where: { run_id, kind: "provider_state" } });
    for (const sha256 of new Set(rows.map((row) => row.sha256)))
      await log.rows.write([{ do: "delete", table: "blobs", key: String(sha256), when: {} }]);
    const next = await followUp(context, "continue", run_id, { prompt: "And now?" });
    await over(next.run_id);
    expect((await types(next.run_id)).slice(3, 7)).toEqual([
      ...["run.started", "gap.run_disconnected", "user.message", "session.started"],
    ]);
    expect(model.requests.at(-1)).toContain("Do it.\\n\\nAnd now?");
    await check(next.run_id);
  });
});
