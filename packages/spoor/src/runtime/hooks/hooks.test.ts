import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { taskRuntime, untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import type { Log } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import type { Hooks } from "../../options/config/hooks.ts";
import { resolveApproval } from "../approvals/resolve.ts";
import { createCommandExecutor } from "../queue/command-executor.ts";
import { renormalize } from "../renormalize.ts";
import { createAndStart } from "../tasks/start.ts";

/** A folder of the user's configuration, with these hooks. `heard` is a file into which a hook can write what it got. */
function configure(hooks: (heard: string) => Hooks) {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-hooks-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const heard = path.join(home, "heard.jsonl");
  writeFileSync(path.join(home, "config.json"), JSON.stringify({ hooks: hooks(heard) }));
  const heardLines = () => readFileSync(heard, "utf8").trimEnd().split("\n");
  return { home, heardLines };
}

const says = (decision: string) => ({ command: `echo '{"decision":"${decision}","reason":"by the hook"}'` });

/** Runs the toy agent, which asks whether it may run `rm -rf dist`. */
async function runAgent(
  hooks: (heard: string) => Hooks,
  { rules = "", approve = "ask" as "ask" | "auto", answer = true } = {},
) {
  const { home, heardLines } = configure(hooks);
  const [directory, cwd] = [path.join(home, "data"), path.join(home, "workspace")];
  mkdirSync(directory, { mode: 0o700 });
  mkdirSync(cwd);
  writeFileSync(path.join(directory, "policy.rules"), rules);
  const client = createClient({ adapters: [toy], configDir: home, record: directory });
  let asked = 0;
  const onApprovalRequest = () => {
    asked += 1;
    return answer;
  };
  const run = client.run({
    agent: "toy",
    prompt: "ask",
    approve,
    cwd,
    ...(approve === "ask" && { onApprovalRequest }),
  });
  await run.result();
  const log = await openLog({ directory });
  onTestFinished(() => log.close());
  return { ...(await toldBy(log, run.recordId)), asked, heardLines };
}

async function toldBy(log: Log, run_id: string) {
  const events = await envelopesOf(log, run_id);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  const outcome = (hook: string) =>
    events.find(({ type, data }) => type.endsWith("hook_completed") && data.hook === hook);
  const types = events.map(({ type }) => type).filter((type) => /^(approval|policy)\.|^tool\.[a-z]+$/.test(type));
  return { log, run_id, events, outcome, types };
}

const ofType = (events: readonly Envelope[], type: string) => events.find((each) => each.type === type);

describe("a hook before a call of an agent", () => {
  it("gets the stored envelope, and its deny blocks the call without a question", async () => {
    const told = await runAgent((heard) => ({ PreToolUse: [{ command: `cat > ${heard}; echo no >&2; exit 2` }] }));
    expect(told.asked).toBe(0);
    expect(told.types).toEqual(["tool.invoked", "policy.hook_completed", "policy.tool_blocked"]);
    expect(told.heardLines().map((line) => JSON.parse(line))).toEqual([ofType(told.events, "tool.invoked")]);
    expect(told.outcome("PreToolUse")?.data).toMatchObject({ outcome: "ok", decision: "deny", reason: "no" });
    const data = { policy_id: "hook:PreToolUse", reason: expect.stringContaining("no") };
    expect(ofType(told.events, "policy.tool_blocked")?.data).toMatchObject(data);
    // The outcome of a hook is not on the tape.
    expect((await renormalize(told.log, told.run_id, { adapters: [toy] })).types).not.toContainEqual(
      expect.objectContaining({ type: "tool.invoked" }),
    );
  });

  it("can allow what would be asked about", async () => {
    const told = await runAgent(() => ({ PreToolUse: [says("allow")] }));
    expect({ asked: told.asked, types: told.types }).toEqual({
      asked: 0,
      types: ["tool.invoked", "policy.hook_completed", "tool.started", "tool.completed"],
    });
    expect(ofType(told.events, "tool.started")?.data).toMatchObject({ policy_id: "hook:PreToolUse" });
  });

  it("cannot loosen what a rule blocks, and is not asked about it", async () => {
    const told = await runAgent(() => ({ PreToolUse: [says("allow")] }), { rules: "block shell rm **" });
    expect(told.types).toEqual(["tool.invoked", "policy.tool_blocked"]);
  });

  it.each([
    ["fails", "exit 1", "failed"],
    ["prints something else", "echo yes", "failed"],
    ["asks", says("ask").command, "ok"],
  ])("that %s lets a person be asked, even about what a rule allows", async (_, command, outcome) => {
    const told = await runAgent(() => ({ PreToolUse: [{ command }] }), { rules: "allow shell rm **" });
    expect(told.asked).toBe(1);
    expect(told.types.slice(0, 4)).toEqual([
      ...["tool.invoked", "policy.hook_completed", "approval.requested", "approval.resolved"],
    ]);
    expect(told.outcome("PreToolUse")?.data).toMatchObject({ outcome, decision: "ask" });
    const request = ofType(told.events, "approval.requested")?.data;
    expect(request).toMatchObject({
      policy_id: "hook:PreToolUse",
      policy_reason: expect.stringContaining("A hook asks"),
    });
    expect(request).not.toHaveProperty("rule");
  });

  it("holds an agent that may do everything", async () => {
    const told = await runAgent(() => ({ PreToolUse: [says("deny")] }), { approve: "auto" });
    expect(told.types).toEqual(["tool.invoked", "policy.hook_completed", "policy.tool_blocked"]);
  });

  it("without an opinion lets an agent that may do everything go on", async () => {
    const told = await runAgent(() => ({ PreToolUse: [{ command: "true" }] }), { approve: "auto" });
    expect(told.types).toEqual(["tool.invoked", "policy.hook_completed", "tool.started", "tool.completed"]);
  });
});

describe("a hook after a call of an agent", () => {
  it("gets the stored end of the call, and its outcome follows at once", async () => {
    const told = await runAgent((heard) => ({ PostToolUse: [{ command: `cat >> ${heard}`, tool: "Ba*" }] }));
    expect(told.types.slice(-2)).toEqual(["tool.completed", "policy.hook_completed"]);
    expect(told.heardLines().map((line) => JSON.parse(line))).toEqual([ofType(told.events, "tool.completed")]);
    const data = { hook: "PostToolUse", tool_call_id: "t1", tool_name: "Bash", outcome: "ok", turn_index: 1 };
    expect(told.outcome("PostToolUse")?.data).toMatchObject(data);
    const index = told.events.findIndex(({ type }) => type === "policy.hook_completed");
    expect(told.events.slice(index).map(({ type }) => type)).toContain("turn.completed");
  });

  it("hears of a refused call too, and is not heard if it is about another tool", async () => {
    const told = await runAgent(
      (heard) => ({ PostToolUse: [{ command: `cat >> ${heard}` }, { command: "exit 1", tool: "Edit" }] }),
      { answer: false },
    );
    expect(told.types.slice(-2)).toEqual(["tool.failed", "policy.hook_completed"]);
    expect(told.heardLines().map((line) => JSON.parse(line).type)).toEqual(["tool.failed"]);
  });
});

describe("a hook about a shell task", () => {
  async function runTask(hooks: (heard: string) => Hooks) {
    const { home, heardLines } = configure(hooks);
    const executor = createCommandExecutor({ ...process.env, SPOOR_HOME: home });
    const { log, context, workspace, startWorker } = taskRuntime(new Map([["shell", executor]]));
    startWorker();
    const spec = { kind: "shell" as const, command: "echo done > out.txt", workspace: { path: workspace } };
    const { run_id } = await createAndStart(context, spec);
    const written = () => readFileSync(path.join(workspace, "out.txt"), "utf8");
    return { log, run_id, written, heardLines };
  }

  it("can deny it: nothing runs, and the run fails", async () => {
    const { log, run_id, written } = await runTask(() => ({ PreToolUse: [says("deny")] }));
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "failed", error_code: "policy_blocked" });
    const { types } = await toldBy(log, run_id);
    expect(types).toEqual(["tool.invoked", "policy.hook_completed", "policy.tool_blocked"]);
    expect(written).toThrow("ENOENT");
  });

  it("can have a person asked: the run is parked, and the command runs once it is approved", async () => {
    const { log, run_id, written } = await runTask(() => ({ PreToolUse: [says("ask")] }));
    await untilStatus(log, run_id, "awaiting_approval");
    expect(await log.run(run_id)).toMatchObject({ parked: true, pending: 1 });
    const [approval] = (await log.rows.list("approvals", { where: { status: "pending" } })).rows;
    expect(approval).toMatchObject({ kind: "shell_command", tool_call_id: "step-1" });
    expect(written).toThrow("ENOENT");
    await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "approve", by: "a test" });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(written()).toBe("done\n");
    const { types } = await toldBy(log, run_id);
    expect(types.filter((type) => type === "tool.invoked")).toHaveLength(1);
  });

  it("is told how it ended, before the run ends", async () => {
    const { log, run_id, heardLines } = await runTask((heard) => ({ PostToolUse: [{ command: `cat > ${heard}` }] }));
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    const { events } = await toldBy(log, run_id);
    expect(heardLines().map((line) => JSON.parse(line))).toEqual([ofType(events, "tool.completed")]);
    expect(events.slice(-3).map(({ type }) => type)).toEqual(["policy.hook_completed", "run.finished", "task.updated"]);
  });
});
