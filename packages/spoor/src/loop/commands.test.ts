import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { needsBubblewrap, processesNamed } from "../../testing/loop/held-commands.ts";
import { loopRuntime, shortTypes } from "../../testing/loop/loop-runtime.ts";
import { type ScriptedCall, scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { temporaryFolder, untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { resolveApproval } from "../runtime/approvals/resolve.ts";
import { sendCommand } from "../runtime/commands/send.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { openSandbox } from "./sandbox/index.ts";
import { commandTools } from "./tools/index.ts";

/** Starts a run in which the model makes one call, and then answers. */
async function play(call: ScriptedCall, spec: Partial<TaskSpec> = {}, programs = process.env.PATH) {
  const model = scriptedModel([{ calls: [call] }, { text: "Done." }]);
  const environment = { PATH: programs, HOME: temporaryFolder(), SPOOR_HOME: "/nonexistent" };
  const { sandbox: choice, ...task } = spec;
  const runtime = loopRuntime(model, {
    environment,
    tools: () => commandTools,
    openSandbox: () =>
      openSandbox({ choice, environment, root: runtime.workspace, directory: runtime.directory, run_id: "run_1" }),
  });
  runtime.startWorker();
  const { log } = runtime;
  const { run_id } = await runtime.start("Do it.", task);
  const envelopes = (): Promise<Envelope[]> => envelopesOf(log, run_id);
  return {
    ...runtime,
    run_id,
    model,
    over: () => untilStatus(log, run_id),
    dataOf: async (type: string) => (await envelopes()).filter((each) => each.type === type).map(({ data }) => data),
    /** What happened with the call, in order. */
    types: async () =>
      shortTypes((await envelopes()).map(({ type }) => type)).filter((type) => /^(tool|approval|policy)\./.test(type)),
    until: async (text: string) => {
      while (
        !(await envelopes()).some(
          ({ type, data }) => type === "tool.shell.output_chunk" && `${data.data}`.includes(text),
        )
      )
        await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async check() {
      expect(await findingsOf(log, [run_id])).toEqual([]);
      await expectProjectionsRebuilt(log);
    },
  };
}

const shell = (command: string, more: object = {}): ScriptedCall => ({
  name: "shell_exec",
  input: { command, ...more },
});
const allowed = { policy: ["allow shell **"] };
const begun = ["tool.invoked", "tool.started", "tool.shell.command"];

describe.each(["bwrap", "none"] as const)("a command of the loop in the sandbox %s", { timeout: 60_000 }, (sandbox) => {
  if (sandbox === "bwrap") needsBubblewrap();

  it("is told from its start to its end, and the model reads its output", async () => {
    const run = await play(shell("echo one; echo two >&2"), { ...allowed, sandbox });
    expect(await run.over()).toMatchObject({ status: "completed", turns: 2 });
    expect((await run.types()).filter((type) => type !== "tool.shell.output_chunk")).toEqual([
      ...begun,
      ...["tool.shell.exited", "tool.completed"],
    ]);
    expect(await run.dataOf("tool.started")).toMatchObject([
      {
        ...{ tool_name: "shell_exec", kind: "shell", "hecate.sandbox.wrapper.kind": sandbox },
        ...{ "hecate.sandbox.network.enabled": sandbox === "none", "hecate.sandbox.read_only": false },
        "hecate.sandbox.output_limit.bytes": 10 * 1024 * 1024,
      },
    ]);
    expect(await run.dataOf("tool.shell.command")).toMatchObject([
      { argv: ["sh", "-c", "echo one; echo two >&2"], cwd: run.workspace, sandbox_layer: sandbox, timeout_ms: 120_000 },
    ]);
    expect(await run.dataOf("tool.shell.exited")).toMatchObject([
      { exit_code: 0, stdout_bytes: 4, stderr_bytes: 4, truncated: false, "hecate.tool.exit_code": 0 },
    ]);
    expect(await run.dataOf("tool.completed")).toMatchObject([{ summary: "exit 0", "hecate.tool.stdout.bytes": 4 }]);
    expect(run.model.requests[1]).toContain("one\\\\ntwo".replace("\\\\", "\\"));
    const told = (await run.dataOf("debug.message")).map(({ message }) => message);
    expect(told).toEqual(sandbox === "none" ? ["The task or the user gave up the sandbox for commands."] : []);
    await run.check();
  });

  it("that fails ends as failed, and the model reads what it wrote", async () => {
    const run = await play(shell("echo broken >&2; exit 7"), { ...allowed, sandbox });
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.types()).toEqual([...begun, "tool.shell.output_chunk", "tool.shell.exited", "tool.failed"]);
    expect(run.model.requests[1]).toContain("The command ended with exit code 7.\\nbroken");
    await run.check();
  });

  it("is asked about unless a rule allows it, and runs in the same turn when a person does", async () => {
    const run = await play(shell("touch made"), { sandbox });
    await untilStatus(run.log, run.run_id, "awaiting_approval");
    expect(readdirSync(run.workspace)).toEqual([]);
    const [request] = await run.dataOf("approval.requested");
    expect(request).toMatchObject({ detail: "touch made", summary: "Run a command" });
    await resolveApproval(run.log, { approval_id: `${request?.approval_id}`, decision: "approve", by: "ann" });
    expect(await run.over()).toMatchObject({ status: "completed", turns: 2 });
    expect(readdirSync(run.workspace)).toEqual(["made"]);
    await run.check();
  });

  it("that a rule blocks does not run", async () => {
    const run = await play(shell("touch made"), { policy: ["block shell touch **"], sandbox });
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.types()).toEqual(["tool.invoked", "policy.tool_blocked"]);
    expect(readdirSync(run.workspace)).toEqual([]);
    await run.check();
  });

  it("is ended with all its processes when the run is cancelled", async () => {
    const seconds = 200_000 + process.pid;
    const run = await play(shell(`setsid sleep ${seconds} & echo begun; sleep ${seconds}`), { ...allowed, sandbox });
    await run.until("begun");
    await sendCommand(run.log, { run_id: run.run_id, kind: "cancel", by: "ann" });
    expect(await run.over()).toMatchObject({ status: "cancelled" });
    expect(await run.types()).toEqual([...begun, "tool.shell.output_chunk", "tool.shell.exited", "tool.cancelled"]);
    expect(await run.dataOf("tool.cancelled")).toMatchObject([{ "hecate.tool.cancelled": true }]);
    expect(processesNamed(`sleep ${seconds}`)).toEqual([]);
    await run.check();
  });

  it("is stopped after its time, and the model is told", async () => {
    const run = await play(shell("echo begun; sleep 300", { timeout_ms: 300 }), { ...allowed, sandbox });
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.types()).toEqual([...begun, "tool.shell.output_chunk", "tool.shell.exited", "tool.timed_out"]);
    expect(await run.dataOf("tool.timed_out")).toMatchObject([{ after_ms: 300, "hecate.tool.timed_out": true }]);
    expect(run.model.requests[1]).toContain("The command was stopped after 300 ms, its time limit.");
    await run.check();
  });

  it("is stopped after 10 MiB of output, which are kept, and the model gets their beginning and end", async () => {
    const run = await play(shell("yes 0123456789abcde"), { ...allowed, sandbox });
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.dataOf("tool.shell.exited")).toMatchObject([{ truncated: true, stdout_bytes: 10 * 1024 * 1024 }]);
    const [end] = await run.dataOf("tool.timed_out");
    expect(end).toMatchObject({ "hecate.tool.output_truncated": true });
    const chunks = await run.dataOf("tool.shell.output_chunk");
    expect(chunks.map(({ byte_offset }) => byte_offset).slice(0, 2)).toEqual([
      0,
      Buffer.byteLength(`${chunks[0]?.data}`),
    ]);
    expect(run.model.requests[1]?.length).toBeLessThan(200_000);
    const { rows } = await run.log.rows.list("artifacts", { where: { run_id: run.run_id } });
    expect(rows).toMatchObject([{ kind: "command_output", artifact_id: end?.result_artifact_id }]);
    await run.check();
  });

  it("runs git without a shell", async () => {
    const run = await play(
      { name: "git_exec", input: { args: ["init", "-q"] } },
      { policy: ["allow git init **"], sandbox },
    );
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.dataOf("tool.shell.command")).toMatchObject([
      { argv: ["git", "init", "-q"], sandbox_layer: sandbox },
    ]);
    expect(readFileSync(path.join(run.workspace, ".git/HEAD"), "utf8")).toMatch(/^ref: /);
    await run.check();
  });

  it("leaves out its start and its exit if the sandbox refuses it", async () => {
    const run = await play(shell("touch made", { cwd: "nowhere" }), { ...allowed, sandbox });
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.types()).toEqual(["tool.invoked", "tool.started", "tool.failed"]);
    expect(run.model.requests[1]).toContain("The sandbox refused the command.");
    await run.check();
  });

  it("ends with the process that performs the run, even if that is killed", async () => {
    const [directory, root, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const seconds = 300_000 + process.pid;
    const command = `setsid sleep ${seconds} & echo begun > begun; sleep ${seconds}`;
    const program = new URL("../../testing/loop/programs/run-command.ts", import.meta.url).pathname;
    const args = ["--conditions=spoor-source", program, directory, root, sandbox, command];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, HOME: home, SPOOR_HOME: directory },
      stdio: ["ignore", "inherit", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await until(() => existsSync(path.join(root, "begun")));
    expect(processesNamed(`sleep ${seconds}`)).not.toEqual([]);
    child.kill("SIGKILL");
    await until(() => processesNamed(`sleep ${seconds}`).length === 0);
    await openSandbox({ choice: sandbox, root, directory, run_id: "run_2", environment: { PATH: process.env.PATH } });
    expect(readdirSync(root)).toEqual(["begun"]);
  });
});

describe("E6: a command of the loop where bubblewrap does not work", { timeout: 60_000 }, () => {
  function brokenPath(): string {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "bwrap"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    return `${folder}:${process.env.PATH}`;
  }

  it.each([{ policy: ["allow shell **"] }, { approve: "auto" as const }])(
    "is asked about although %j allows it, and the run says why",
    async (spec) => {
      const run = await play(shell("touch made"), { ...spec, sandbox: "auto" }, brokenPath());
      await untilStatus(run.log, run.run_id, "awaiting_approval");
      expect(await run.dataOf("approval.requested")).toMatchObject([{ policy_id: "sandbox:none" }]);
      const [told] = await run.dataOf("debug.message");
      expect(told).toMatchObject({ level: "warn" });
      expect(told?.message).toMatch(
        /^There is no sandbox for commands, so a person is asked about each\. .*bwrap does not/,
      );
      expect(readdirSync(run.workspace)).toEqual([]);
    },
  );

  it("does not run if the task demands bubblewrap", async () => {
    const run = await play(shell("touch made"), { ...allowed, sandbox: "bwrap" }, brokenPath());
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.types()).toEqual(["tool.invoked", "tool.started", "tool.failed"]);
    expect(readdirSync(run.workspace)).toEqual([]);
    await run.check();
  });

  it("does not run if nobody is asked", async () => {
    const run = await play(shell("touch made"), { ...allowed, approve: "deny", sandbox: "auto" }, brokenPath());
    expect(await run.over()).toMatchObject({ status: "completed" });
    expect(await run.types()).toEqual(["tool.invoked", "policy.tool_blocked"]);
    expect(readdirSync(run.workspace)).toEqual([]);
    await run.check();
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 50_000; !condition() && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 50));
}
