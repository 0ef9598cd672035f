import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { taskRuntime, temporaryFolder, untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { revertPatch } from "../artifacts/index.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { createAndStart } from "../tasks/start.ts";
import { createFileExecutor } from "./file-executor.ts";

function files() {
  const runtime = taskRuntime(new Map([["file", createFileExecutor()]]));
  runtime.startWorker();
  const perform = async (spec: Partial<TaskSpec>) => {
    const { run_id } = await createAndStart(runtime.context, {
      kind: "file",
      workspace: { path: runtime.workspace },
      ...spec,
    });
    const run = await untilStatus(runtime.log, run_id);
    expect(await findingsOf(runtime.log, [run_id])).toEqual([]);
    const { rows } = await runtime.log.rows.list("artifacts", { where: { run_id } });
    return { run, rows, types: (await envelopesOf(runtime.log, run_id)).map(({ type }) => type) };
  };
  return { ...runtime, perform, file: (name: string) => path.join(runtime.workspace, name) };
}

describe("a file task", () => {
  it("writes, appends to and deletes a file, and keeps each change as a patch that can be reverted", async () => {
    const { perform, file, log, directory } = files();
    const written = await perform({ operation: "write", path: "a/b.txt", content: "one\n" });
    expect(readFileSync(file("a/b.txt"), "utf8")).toBe("one\n");
    expect(written.types).toEqual([
      ...["run.created", "run.queued", "run.started", "tool.invoked", "tool.started", "tool.completed"],
      ...["tool.file_write.proposed", "tool.file.patch", "artifact.created", "tool.file_write.applied"],
      ...["run.finished", "task.updated"],
    ]);
    expect(written.rows).toMatchObject([{ path: "a/b.txt", status: "applied", additions: 1 }]);
    await perform({ operation: "append", path: "a/b.txt", content: "two\n" });
    expect(readFileSync(file("a/b.txt"), "utf8")).toBe("one\ntwo\n");
    const deleted = await perform({ operation: "delete", path: "a/b.txt" });
    expect(existsSync(file("a/b.txt"))).toBe(false);
    expect(deleted.types).toContain("tool.file.deleted");
    await revertPatch({ log, directory }, { artifact_id: deleted.rows[0]?.artifact_id ?? "", by: "ann" });
    expect(readFileSync(file("a/b.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("never writes where other programs look for code", async () => {
    const { perform } = files();
    const change = perform({ operation: "write", path: ".git/hooks/pre-commit", content: "x" });
    await expect(change).rejects.toMatchObject({ code: "policy_blocked" });
  });

  it.each([
    ["link/x", "symbolic link"],
    ["missing.txt", "There is no file"],
  ])("refuses %s and writes nothing", async (name, message) => {
    const { perform, workspace } = files();
    const outside = temporaryFolder();
    symlinkSync(outside, path.join(workspace, "link"));
    writeFileSync(path.join(outside, "x"), "theirs");
    const operation = name === "missing.txt" ? "delete" : "write";
    const { run, types } = await perform({ operation, path: name, ...(operation === "write" && { content: "mine" }) });
    expect(run).toMatchObject({ status: "failed", error_code: "file_refused" });
    expect(types).not.toContain("tool.started");
    expect(readFileSync(path.join(outside, "x"), "utf8")).toBe("theirs");
    expect(message).not.toBe("");
  });
});
