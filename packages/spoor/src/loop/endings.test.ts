import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { approvalsOf, loopRuntime, shortTypes, untilTypes } from "../../testing/loop/loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { temporaryFolder, untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { resolveApproval } from "../runtime/approvals/resolve.ts";
import { artifactsOfRun, findArtifact } from "../runtime/artifacts/find.ts";
import { sendCommand } from "../runtime/commands/send.ts";
import { openingOf } from "../runtime/queue/opening.ts";
import { recover } from "../runtime/recovery/recover.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { specOf } from "../runtime/specification/spec-of.ts";

const editAndDie = fileURLToPath(new URL("../../testing/loop/programs/edit-and-die.ts", import.meta.url));

const TIMEOUT = { timeout: 60_000 };
const done: ScriptedTurn = { text: "Done." };
const waits: ScriptedTurn = { calls: [{ name: "shell", input: { command: "echo x >> done.txt; exec sleep 100" } }] };

/** Starts a run without a worker, and performs it here until its process dies in the middle of the first command. */
async function dieInCommand(...script: ScriptedTurn[]) {
  const model = scriptedModel(script);
  const runtime = loopRuntime(model);
  const { log, directory, executor } = runtime;
  const { run_id } = await runtime.start("Do it.", { approve: "auto" });
  const claim = await log.queue.claim("gone", ["agent_loop"], 30_000, (run, lease) =>
    openingOf(run, lease, "worker", directory),
  );
  if (!claim) throw new Error("No run waits.");
  const lost = new AbortController();
  const spec = (await specOf(log, claim.run)) as TaskSpec;
  const ended = executor.execute({
    log,
    directory,
    claim,
    spec,
    signal: lost.signal,
    controls() {},
    mayAct: () => true,
  });
  await untilTypes(log, run_id, "tool.shell.command");
  return { ...runtime, model, run_id, lost, ended };
}

describe("a run of the loop whose worker", TIMEOUT, () => {
  it("is lost in a command is queued again, and the model reads that nobody knows whether it happened", async () => {
    const { log, run_id, lost, ended, startWorker, typesOf, model } = await dieInCommand(waits, done);
    lost.abort("lost");
    await ended;
    await recover(log, { isGone: () => true, reason: "worker_lease_expired" });
    startWorker();
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", turns: 2, attempt: 2 });
    const types = shortTypes(await typesOf(run_id));
    expect(types.slice(types.indexOf("tool.started"))).toEqual([
      ...["tool.started", "tool.shell.command", "gap.run_disconnected", "tool.shell.exited", "tool.failed"],
      ...["turn.failed", "turn.completed", "run.queued", "run.started", "turn.started", "assistant.text_complete"],
      ...["cost.tick", "assistant.final_answer", "turn.completed", "run.checkpoint_saved", "session.ended"],
      ...["run.finished", "task.updated"],
    ]);
    const failed = (await envelopesOf(log, run_id)).find(({ type }) => type === "turn.failed");
    expect(failed?.data).toMatchObject({ code: "worker_lost", will_retry: true });
    expect(model.requests[1]).toContain("Interrupted; it may or may not have happened.");
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("is lost while it changes files is queued again when all of them are changed, and the model reads so", async () => {
    const { log, directory, workspace, run_id, lost, ended, startWorker, model } = await dieInCommand(waits, done);
    const call = (await envelopesOf(log, run_id)).find(({ type }) => type === "tool.started")?.data.tool_call_id;
    const wanted = { a: { text: "1", mode: 0o644 }, b: { text: "2", mode: 0o644 } };
    // A process of the run is killed after the first of both files was replaced.
    const args = ["change", directory, workspace, "6", JSON.stringify(wanted), run_id, String(call)];
    const { signal } = spawnSync(process.execPath, ["--conditions=spoor-source", editAndDie, ...args]);
    expect([signal, existsSync(path.join(workspace, "b"))]).toEqual(["SIGKILL", false]);
    lost.abort("lost");
    await ended;
    await recover(log, { isGone: () => true, reason: "worker_lease_expired" });
    expect(readFileSync(path.join(workspace, "b"), "utf8")).toBe("2");
    startWorker();
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(model.requests[1]).toContain("Interrupted, but all of its changes are made: a, b.");
    expect(readdirSync(workspace).filter((name) => name.startsWith(".spoor-"))).toEqual([]);
    await expect.poll(() => existsSync(path.join(directory, "changes", run_id))).toBe(false);
  });

  it("stops in good order is queued again at once, and the stop does not count as a loss", async () => {
    const { log, run_id, lost, ended, startWorker } = await dieInCommand(waits, done);
    lost.abort("shutdown");
    await ended;
    expect(await log.run(run_id)).toMatchObject({ status: "queued", attempt: 1 });
    startWorker();
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", turns: 2, attempt: 1 });
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });
});

describe("a run of the loop", TIMEOUT, () => {
  /** Starts a run with a worker. */
  async function play(script: readonly ScriptedTurn[], spec: Partial<TaskSpec> = {}) {
    const model = scriptedModel(script);
    const runtime = loopRuntime(model);
    runtime.startWorker();
    const { run_id } = await runtime.start("Do it.", spec);
    return { ...runtime, model, run_id };
  }

  it.each([
    ["cancel", "run.aborted"],
    ["interrupt", "run.interrupted"],
  ] as const)("ends by %s while the model speaks", async (kind, cause) => {
    const { log, run_id, typesOf } = await play([{ text: "I think", hangs: true }]);
    await untilTypes(log, run_id, "assistant.text_delta");
    await sendCommand(log, { run_id, kind, by: "ann" });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "cancelled" });
    expect((await typesOf(run_id)).slice(-5)).toEqual([
      ...["turn.completed", cause, "session.ended", "run.cancelled", "task.updated"],
    ]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("ends when its time is over", async () => {
    const { log, run_id, typesOf } = await play([{ text: "I think", hangs: true }], { timeout_ms: 300 });
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "failed", error_code: "timeout" });
    expect(await typesOf(run_id)).toContain("run.timed_out");
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it.each([
    ["deny", ["policy.hook_completed", "policy.tool_blocked"]],
    ["allow", ["policy.hook_completed", "tool.started", "tool.completed", "policy.hook_completed"]],
  ])("asks the user's hooks about a call, and they %s it", async (decision, told) => {
    const home = temporaryFolder();
    const hooks = {
      PreToolUse: [{ command: `echo '{"decision":"${decision}","reason":"by the hook"}'` }],
      PostToolUse: [{ command: "cat" }],
    };
    writeFileSync(path.join(home, "config.json"), JSON.stringify({ hooks }));
    const model = scriptedModel([{ calls: [{ name: "write", input: { path: "a.txt", content: "A" } }] }, done]);
    const { log, start, startWorker, typesOf } = loopRuntime(model, {
      environment: { ...process.env, SPOOR_HOME: home },
    });
    startWorker();
    const { run_id } = await start("Write it.");
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    const types = (await typesOf(run_id)).filter((type) => /^policy\.|^tool\.(started|completed)$/.test(type));
    expect(types).toEqual(told);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("gives the model the beginning and the end of a large output, and keeps the whole", async () => {
    const model = scriptedModel([{ calls: [{ name: "read", input: { path: "big.txt" } }] }, done]);
    const { log, workspace, start, startWorker } = loopRuntime(model);
    writeFileSync(path.join(workspace, "big.txt"), `${"a".repeat(50_000)}${"b".repeat(50_000)}`);
    startWorker();
    const { run_id } = await start("Read it.");
    await untilStatus(log, run_id);
    const completed = (await envelopesOf(log, run_id)).find(({ type }) => type === "tool.completed")?.data;
    expect(completed).toMatchObject({ truncated: true, result_artifact_id: expect.any(String) });
    const [result] = JSON.parse(model.requests[1] ?? "").prompt.at(-1).content;
    expect(result.output.value).toBe(completed?.output);
    expect(String(completed?.output)).toMatch(/^a+\n\[34464 bytes left out\]\nb+$/);
    const kept = await findArtifact(log, String(completed?.result_artifact_id));
    expect(kept.size).toBe(100_000);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("shows nobody what the provider needs back", async () => {
    const { log, run_id } = await play([{ thinking: "Secret thoughts.", text: "Hello." }]);
    await untilStatus(log, run_id);
    const { rows } = await log.rows.list("artifacts", { where: { run_id } });
    expect(rows).toMatchObject([{ kind: "provider_state" }]);
    expect(await artifactsOfRun(log, run_id)).toEqual([]);
    await expect(findArtifact(log, rows[0]?.artifact_id ?? "")).rejects.toMatchObject({ code: "not_found" });
    expect(JSON.stringify(await envelopesOf(log, run_id))).not.toContain("Secret thoughts.");
  });

  it("does not ask about a call that holds a secret, because it could not run it later", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const { log, run_id, model } = await play([
      { calls: [{ name: "shell", input: { command: `curl -H "Authorization: Bearer ${secret}" x.org` } }] },
      done,
    ]);
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(await approvalsOf(log, run_id)).toEqual([]);
    expect(model.requests[1]).toContain("The arguments hold a secret.");
    expect(model.requests[1]).not.toContain(secret);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("begins anew and says so if the provider's state of a parked run is gone", async () => {
    const { log, run_id, model, typesOf } = await play([
      { thinking: "Hm.", calls: [{ name: "shell", input: { command: "echo hi" } }] },
      done,
      done,
    ]);
    await untilStatus(log, run_id, "awaiting_approval");
    const { rows } = await log.rows.list("artifacts", { where: { run_id, kind: "provider_state" } });
    await log.rows.write([{ do: "delete", table: "blobs", key: String(rows[0]?.sha256), when: {} }]);
    const [approval] = await approvalsOf(log, run_id);
    await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "approve", by: "ann" });
    await untilTypes(log, run_id, "gap.run_disconnected");
    // The script begins anew as well, so the same is asked again.
    await expect.poll(() => model.requests.length).toBe(2);
    expect(await typesOf(run_id)).toContain("gap.run_disconnected");
    expect(JSON.parse(model.requests[1] ?? "").prompt.slice(1)).toEqual([
      { role: "user", content: [{ type: "text", text: "Do it." }] },
    ]);
    await untilStatus(log, run_id, "awaiting_approval");
    await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });
});
