import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { taskRuntime, temporaryFolder, untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { readBlob, revertRun } from "../artifacts/index.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { createAndStart } from "../tasks/start.ts";

async function perform(
  spec: Omit<TaskSpec, "kind"> & { kind?: TaskSpec["kind"] },
  prepare: (workspace: string) => void = () => {},
) {
  const { log, context, workspace, startWorker } = taskRuntime();
  prepare(workspace);
  startWorker();
  const { run_id } = await createAndStart(context, { kind: "shell", workspace: { path: workspace }, ...spec });
  const run = await untilStatus(log, run_id);
  const envelopes = await envelopesOf(log, run_id);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  return {
    run,
    workspace,
    log,
    revert: () => revertRun(context, { run, by: "ann" }),
    patches: (await log.rows.list("artifacts", { where: { run_id } })).rows,
    types: envelopes.map(({ type }) => type),
    envelopes,
    data: (type: string) => envelopes.find((each) => each.type === type)?.data,
  };
}

describe("a shell task", () => {
  it("has the documented lifecycle", async () => {
    const { run, types, data, workspace, log } = await perform({ command: "echo out; echo err >&2" });
    expect(types.filter((type) => type !== "tool.shell.output_chunk")).toEqual([
      "run.created",
      "run.queued",
      "run.started",
      "tool.invoked",
      "tool.started",
      "tool.shell.command",
      "tool.shell.exited",
      "tool.completed",
      "run.finished",
      "task.updated",
    ]);
    expect(data("tool.shell.command")).toMatchObject({
      tool_call_id: "step-1",
      argv: ["sh", "-c", "echo out; echo err >&2"],
      cwd: workspace,
      sandbox_layer: "none",
    });
    expect(data("tool.shell.exited")).toMatchObject({
      exit_code: 0,
      stdout_bytes: 4,
      stderr_bytes: 4,
      truncated: false,
    });
    expect(run).toMatchObject({ status: "completed", executor: "worker", agent: "shell", kind: "shell", attempt: 1 });
    expect(await log.rows.find("queue", run.run_id)).toBeUndefined();
    expect(await log.rows.find("tasks", run.task_id)).toMatchObject({ active_run_id: null });
  });

  it("records output with byte offsets that add up to the bytes of each stream", async () => {
    const { envelopes, data } = await perform({ command: "for n in 1 2 3; do echo ☃ $n; sleep 0.1; done" });
    const chunks = envelopes.filter(({ type }) => type === "tool.shell.output_chunk").map((each) => each.data);
    let offset = 0;
    for (const chunk of chunks) {
      expect(chunk.byte_offset).toBe(offset);
      offset += Buffer.byteLength(chunk.data as string);
    }
    expect(data("tool.shell.exited")?.stdout_bytes).toBe(offset);
    expect(chunks.map((chunk) => chunk.data).join("")).toBe("☃ 1\n☃ 2\n☃ 3\n");
  });

  it("keeps a large output as an artifact, which the end of the call names", async () => {
    const line = "a line of the output";
    const { run, log, data, types } = await perform({ command: `yes "${line}" | head -n 2000; echo the end >&2` });
    const { result_artifact_id } = data("tool.completed") ?? {};
    const artifact = await log.rows.find("artifacts", String(result_artifact_id));
    expect(artifact).toMatchObject({ kind: "command_output", run_id: run.run_id, mime: "text/plain" });
    const bytes = await readBlob(log, String(log.directory), artifact?.sha256 ?? "");
    expect(bytes?.toString()).toContain("the end\n");
    expect(bytes?.length).toBe(2000 * (line.length + 1) + "the end\n".length);
    expect(types.indexOf("artifact.created")).toBeGreaterThan(types.indexOf("tool.completed"));
  });

  it("fails with the exit code of the command", async () => {
    const { run, types, data } = await perform({ command: "exit 3" });
    expect(types.slice(-4)).toEqual(["tool.shell.exited", "tool.failed", "run.failed", "task.updated"]);
    expect(data("run.failed")).toMatchObject({ code: "command_failed", status: "failed" });
    expect(data("tool.shell.exited")).toMatchObject({ exit_code: 3 });
    expect(run).toMatchObject({ status: "failed", error_code: "command_failed" });
  });

  it("is stopped at its time limit", async () => {
    const { types, data } = await perform({ command: "echo before; sleep 60", timeout_ms: 300 });
    expect(types.slice(-4)).toEqual(["tool.shell.exited", "tool.timed_out", "run.failed", "task.updated"]);
    expect(data("tool.timed_out")).toMatchObject({ after_ms: 300 });
    expect(data("run.failed")).toMatchObject({ code: "timeout" });
  });

  it("is stopped when it writes more than 10 MiB", async () => {
    const { data, envelopes } = await perform({ command: "yes 'a line of output'" });
    expect(data("tool.shell.exited")).toMatchObject({ truncated: true });
    expect(data("run.failed")).toMatchObject({ code: "output_limit" });
    const bytes = envelopes
      .filter(({ type }) => type === "tool.shell.output_chunk")
      .reduce((sum, each) => sum + Buffer.byteLength(each.data.data as string), 0);
    expect(bytes).toBeLessThanOrEqual(10 * 1024 * 1024);
    expect(bytes).toBeGreaterThan(9 * 1024 * 1024);
  });

  it("gets only the variables that programs need and those that it names, and records no values", async () => {
    process.env.TASK_SECRET_TOKEN = "hunter2-hunter2";
    process.env.TASK_OTHER = "visible";
    const { envelopes, data } = await perform({
      command: 'echo "$TOKEN|$TASK_OTHER|$SPOOR_TOKEN|$PLAIN"',
      env: { TOKEN: "$TASK_SECRET_TOKEN", PLAIN: "plain" },
    });
    const chunk = envelopes.find(({ type }) => type === "tool.shell.output_chunk");
    expect(chunk?.data.data).toMatch(/^\[redacted:.*\]\|\|\|plain\n$/i);
    expect(JSON.stringify(envelopes)).not.toContain("hunter2");
    expect(data("tool.shell.command")?.env_keys).toContain("TOKEN");
    expect(data("tool.shell.command")?.env_keys).not.toContain("TASK_OTHER");
  });

  it("fails with a clear message when a variable that it names is not set", async () => {
    const { data } = await perform({ command: "true", env: { TOKEN: "$NO_SUCH_VARIABLE" } });
    expect(data("run.failed")?.message).toContain("NO_SUCH_VARIABLE is not set");
  });
});

describe("the changes of a command", () => {
  it("become patches that are told after its end, and can be reverted", async () => {
    const { types, patches, revert, workspace, data } = await perform(
      { command: "echo two >> a.txt; rm gone.txt; mkdir new; printf x > new/b.txt; chmod +x run.sh" },
      (folder) => {
        writeFileSync(path.join(folder, "a.txt"), "one\n");
        writeFileSync(path.join(folder, "gone.txt"), "old\r\n");
        writeFileSync(path.join(folder, "run.sh"), "true\n", { mode: 0o644 });
      },
    );
    expect(types.slice(types.indexOf("tool.completed"))).toEqual([
      "tool.completed",
      ...["tool.edit.proposed", "tool.file.patch", "artifact.created", "tool.edit.applied"],
      ...["tool.file.deleted", "artifact.created"],
      ...["tool.file_write.proposed", "tool.file.patch", "artifact.created", "tool.file_write.applied"],
      ...["tool.edit.proposed", "tool.file.patch", "artifact.created", "tool.edit.applied"],
      ...["run.finished", "task.updated"],
    ]);
    expect(patches.map(({ path: file, attribution }) => [file, attribution]).sort()).toEqual(
      ["a.txt", "gone.txt", "new/b.txt", "run.sh"].map((file) => [file, "call"]),
    );
    expect(data("run.started")).toMatchObject({ snapshots: "git" });
    await revert();
    expect(readdirSync(workspace).sort()).toEqual(["a.txt", "gone.txt", "run.sh"]);
    expect(readFileSync(path.join(workspace, "a.txt"), "utf8")).toBe("one\n");
    expect(readFileSync(path.join(workspace, "gone.txt"), "utf8")).toBe("old\r\n");
    expect(statSync(path.join(workspace, "run.sh")).mode & 0o777).toBe(0o644);
  });

  it.each([
    ["failed", { command: "echo x > a.txt; exit 1" }],
    ["was stopped at its time limit", { command: "echo x > a.txt; sleep 60", timeout_ms: 1_000 }],
  ])("are kept when it %s", async (_, spec) => {
    const { patches, run } = await perform(spec);
    expect(run.status).toBe("failed");
    expect(patches).toMatchObject([{ path: "a.txt", status: "applied", before_existed: 0 }]);
  });

  it("are those of a run beside it, too, where runs share a workspace", async () => {
    const { patches, workspace } = await perform({
      command: "echo x > a.txt",
      workspace: { path: temporaryFolder(), share: true },
    });
    expect(workspace).not.toBe("");
    expect(patches).toMatchObject([{ path: "a.txt", attribution: "shared" }]);
  });

  it("do not contain secrets in what is shown of them", async () => {
    process.env.TASK_SECRET_TOKEN = "hunter2-hunter2";
    const { envelopes, patches } = await perform({
      command: 'echo "$TOKEN" > a.txt',
      env: { TOKEN: "$TASK_SECRET_TOKEN" },
    });
    expect(patches).toHaveLength(1);
    expect(JSON.stringify(envelopes)).not.toContain("hunter2");
  });
});

describe("a git task", () => {
  it("leaves patches of the files that it changes", async () => {
    const { patches, revert, workspace } = await perform(
      { kind: "git", command: ["checkout", "--", "a.txt"] },
      (folder) => {
        const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
        git("init");
        writeFileSync(path.join(folder, "a.txt"), "committed\n");
        git("add", "a.txt");
        writeFileSync(path.join(folder, "a.txt"), "edited\n");
      },
    );
    expect(patches).toMatchObject([{ path: "a.txt", additions: 1, deletions: 1 }]);
    await revert();
    expect(readFileSync(path.join(workspace, "a.txt"), "utf8")).toBe("edited\n");
  });

  it("runs git without a shell", async () => {
    const { run, data } = await perform({ kind: "git", command: ["init", "--quiet", "a $(touch b); c"] });
    expect(data("tool.shell.command")).toMatchObject({ argv: ["git", "init", "--quiet", "a $(touch b); c"] });
    expect(data("tool.invoked")).toMatchObject({ tool_name: "git", kind: "git" });
    expect(run.status).toBe("completed");
  });
});
