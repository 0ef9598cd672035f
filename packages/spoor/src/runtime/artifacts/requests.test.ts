import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Change, patchedRun, temporaryFolder, writeFiles } from "../../../testing/runtime/patches.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { artifactEffects } from "../projections/artifacts.ts";
import { holdEffects } from "../workspace/hold.ts";
import { currentFile } from "./current-file.ts";
import { artifactsOfRun } from "./find.ts";
import { applyPatch, applyRun, rejectPatch, revertPatch, revertRun } from "./requests.ts";
import { runDiff } from "./run-diff.ts";

const by = "ann";
const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\r\n`);
const before = Buffer.from(`\uFEFF${lines.join("")}no newline`);
const after = Buffer.from(`\uFEFF${lines.with(2, "two\r\n").with(20, "twenty\n").join("")}no newline at the end`);

async function place(changes: readonly Change[], options: { isOver?: boolean } = {}) {
  const { log, directory } = temporaryLog();
  const root = temporaryFolder();
  const run = await patchedRun(log, directory, root, changes, options);
  const read = (name: string) => readFileSync(path.join(root, name));
  return { log, directory, root, read, context: { log, directory }, ...run, id: run.artifact_ids[0] as string };
}

const proposed = { path: "src/a.txt", before, after, operation: "propose" } as const;

describe("a proposed patch", () => {
  it("is applied and reverted byte by byte, with its mode, and every step is an event", async () => {
    const { log, root, read, context, id, run_id } = await place([
      { ...proposed, before_mode: 0o100644, mode: 0o100755 },
    ]);
    writeFiles(root, { "src/a.txt": before });
    expect(await applyPatch(context, { artifact_id: id, by })).toMatchObject({ status: "applied", pending: null });
    expect(read("src/a.txt")).toEqual(after);
    expect(statSync(path.join(root, "src/a.txt")).mode & 0o777).toBe(0o755);
    const reverted = await revertPatch(context, { artifact_id: id, by, reason: "tests failed" });
    expect(reverted).toMatchObject({ status: "reverted", reverted_at: expect.any(Number) });
    expect(read("src/a.txt")).toEqual(before);
    expect(statSync(path.join(root, "src/a.txt")).mode & 0o777).toBe(0o644);
    expect(readdirSync(path.join(root, "src"))).toEqual(["a.txt"]);
    const late = (await envelopesOf(log, run_id)).slice(-7);
    expect(late.map(({ type }) => type)).toEqual([
      ...["tool.file.applied", "tool.edit.applied", "artifact.updated"],
      ...["tool.file.reverted", "tool.edit.reverted", "artifact.created", "artifact.updated"],
    ]);
    expect(late.at(-2)?.data).toMatchObject({ inverse_of: id, status: "applied", path: "src/a.txt" });
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("is rejected without touching the file, and then neither applied nor rejected again", async () => {
    const { root, read, context, id } = await place([proposed]);
    writeFiles(root, { "src/a.txt": before });
    expect(await rejectPatch(context, { artifact_id: id, by })).toMatchObject({ status: "rejected" });
    await expect(applyPatch(context, { artifact_id: id, by })).rejects.toMatchObject({ code: "wrong_status" });
    await expect(rejectPatch(context, { artifact_id: id, by })).rejects.toMatchObject({ code: "wrong_status" });
    await expect(revertPatch(context, { artifact_id: id, by })).rejects.toMatchObject({ code: "wrong_status" });
    expect(read("src/a.txt")).toEqual(before);
  });

  it("is applied again after it was reverted, as a whole or by hunk, and the diff of the run counts it once", async () => {
    const { log, directory, root, read, context, id, run_id } = await place([proposed]);
    writeFiles(root, { "src/a.txt": before });
    const change = { artifact_id: id, by };
    await applyPatch(context, change);
    await revertPatch(context, change);
    expect(await applyPatch(context, change)).toMatchObject({ status: "applied" });
    expect(read("src/a.txt")).toEqual(after);
    await revertPatch(context, { ...change, hunks: [0] });
    await revertPatch(context, change);
    expect(read("src/a.txt")).toEqual(before);
    expect(await currentFile(log, directory, id)).toMatchObject({ is_expected: true });
    await applyPatch(context, change);
    expect(read("src/a.txt")).toEqual(after);
    const { diff } = await runDiff(log, directory, { run_id });
    expect(diff.toString().match(/^diff --git/gm)).toHaveLength(1);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("shows how its file differs from what it needs", async () => {
    const { log, directory, root, read, context, id } = await place([proposed]);
    const now = () => currentFile(log, directory, id);
    expect(await now()).toMatchObject({
      exists: false,
      is_expected: false,
      diff: expect.stringContaining("deleted file"),
    });
    writeFiles(root, { "src/a.txt": before });
    expect(await now()).toMatchObject({ exists: true, is_expected: true });
    await applyPatch(context, { artifact_id: id, by, hunks: [0] });
    expect(await now()).toMatchObject({ is_expected: true });
    writeFiles(root, { "src/a.txt": `${read("src/a.txt")}mine\n` });
    expect(await now()).toMatchObject({ is_expected: false, diff: expect.stringContaining("+no newlinemine") });
  });

  it("is applied hunk by hunk, and the rest later", async () => {
    const { log, root, read, context, id, run_id } = await place([proposed]);
    writeFiles(root, { "src/a.txt": before });
    expect(await applyPatch(context, { artifact_id: id, by, hunks: [1] })).toMatchObject({ applied_hunks: "[1]" });
    expect(read("src/a.txt").toString()).toContain("twenty\n");
    expect(read("src/a.txt").toString()).not.toContain("two\r\n");
    await expect(applyPatch(context, { artifact_id: id, by, hunks: [1] })).rejects.toMatchObject({
      code: "wrong_status",
    });
    await expect(applyPatch(context, { artifact_id: id, by, hunks: [9] })).rejects.toMatchObject({ code: "invalid" });
    await applyPatch(context, { artifact_id: id, by, hunks: [0, 2] });
    expect(read("src/a.txt")).toEqual(after);
    expect(await revertPatch(context, { artifact_id: id, by, hunks: [0] })).toMatchObject({ status: "applied" });
    expect(await revertPatch(context, { artifact_id: id, by })).toMatchObject({
      status: "reverted",
      applied_hunks: "[]",
    });
    expect(read("src/a.txt")).toEqual(before);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("of a new file makes its folders, and reverting removes them again", async () => {
    const { root, read, context, id } = await place([{ ...proposed, path: "new/deep/a", before: undefined }]);
    await applyPatch(context, { artifact_id: id, by });
    expect(read("new/deep/a")).toEqual(after);
    await revertPatch(context, { artifact_id: id, by });
    expect(readdirSync(root)).toEqual([]);
  });

  it("of a deletion removes the file, and reverting restores it with its mode", async () => {
    const change = { path: "a", before, after: undefined, mode: 0o100600, operation: "propose" } as const;
    const { root, read, context, id } = await place([change]);
    writeFiles(root, { a: before });
    await applyPatch(context, { artifact_id: id, by });
    expect(existsSync(path.join(root, "a"))).toBe(false);
    await revertPatch(context, { artifact_id: id, by });
    expect(read("a")).toEqual(before);
    expect(statSync(path.join(root, "a")).mode & 0o777).toBe(0o600);
  });
});

describe("a file that changed since", () => {
  it.each([
    ["other bytes", (file: string) => writeFileSync(file, "other")],
    ["one more byte", (file: string) => writeFileSync(file, Buffer.concat([before, Buffer.from("\n")]))],
  ])("is a conflict and stays as it is (%s)", async (_, change) => {
    const { root, read, context, id, log, run_id } = await place([
      proposed,
      { path: "b", before: undefined, after: Buffer.from("b"), operation: "propose" },
    ]);
    writeFiles(root, { "src/a.txt": before });
    change(path.join(root, "src/a.txt"));
    const then = read("src/a.txt");
    const run = await log.run(run_id);
    const stored = (await envelopesOf(log, run_id)).length;
    const request = applyRun(context, { run: run as never, by });
    await expect(request).rejects.toMatchObject({
      code: "conflict",
      conflicts: [{ path: "src/a.txt", expected: expect.stringMatching(/^sha256:/), actual: expect.any(String) }],
    });
    expect(read("src/a.txt")).toEqual(then);
    expect(readdirSync(root)).toEqual(["src"]);
    expect(readdirSync(path.join(root, "src"))).toEqual(["a.txt"]);
    expect((await envelopesOf(log, run_id)).length).toBe(stored);
    expect(await log.rows.find("artifacts", id)).toMatchObject({ status: "proposed", pending: null });
  });

  it("is a conflict when it is missing, or exists where the patch makes it", async () => {
    const { root, context, artifact_ids } = await place([
      proposed,
      { path: "b", before: undefined, after: Buffer.from("b"), operation: "propose" },
    ]);
    writeFiles(root, { b: "mine" });
    for (const artifact_id of artifact_ids)
      await expect(applyPatch(context, { artifact_id, by })).rejects.toMatchObject({ code: "conflict" });
  });

  it("accepts hunks whose own lines are as they were", async () => {
    const { root, read, context, id } = await place([proposed]);
    const other = before.toString().replace("line 35", "my line");
    writeFiles(root, { "src/a.txt": other });
    await expect(applyPatch(context, { artifact_id: id, by })).rejects.toMatchObject({ code: "conflict" });
    await applyPatch(context, { artifact_id: id, by, hunks: [0] });
    expect(read("src/a.txt").toString()).toBe(other.replace("line 2\r\n", "two\r\n"));
  });

  it("keeps a mode that the patch does not change", async () => {
    const { root, context, id } = await place([proposed]);
    writeFiles(root, { "src/a.txt": before });
    chmodSync(path.join(root, "src/a.txt"), 0o640);
    await applyPatch(context, { artifact_id: id, by });
    expect(statSync(path.join(root, "src/a.txt")).mode & 0o777).toBe(0o640);
  });
});

describe("the patches of a run", () => {
  it("are reverted at once, also several of one file, or only some files", async () => {
    const [one, two, three] = ["1\n", "2\n", "3\n"].map((text) => Buffer.from(text));
    const { log, root, read, context, run_id } = await place([
      { path: "a", before: one, after: two },
      { path: "a", before: two, after: three },
      { path: "b", before: undefined, after: one },
      { path: "c", before: one, after: two, attribution: "outside" },
    ]);
    writeFiles(root, { a: "3\n", b: "1\n", c: "2\n" });
    const run = (await log.run(run_id)) as never;
    await revertRun(context, { run, by, files: ["b"] });
    expect(readdirSync(root)).toEqual(["a", "c"]);
    await revertRun(context, { run, by });
    expect([read("a"), read("c")].map(String)).toEqual(["1\n", "2\n"]);
    expect(await revertRun(context, { run, by })).toEqual([]);
    await expect(revertRun(context, { run, by, files: ["zzz"] })).rejects.toMatchObject({ code: "invalid" });
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("can be written to another folder without changing their status", async () => {
    const { log, root, context, run_id } = await place([
      { path: "a", before: Buffer.from("1"), after: Buffer.from("2") },
      { path: "d/b", before: undefined, after: Buffer.from("new") },
    ]);
    const to = temporaryFolder("other");
    writeFiles(to, { a: "1" });
    await applyRun(context, { run: (await log.run(run_id)) as never, by, to });
    expect(readFileSync(path.join(to, "a"), "utf8")).toBe("2");
    expect(readFileSync(path.join(to, "d/b"), "utf8")).toBe("new");
    expect(readdirSync(root)).toEqual([]);
    expect((await artifactsOfRun(log, run_id)).map(({ pending, status }) => [pending, status])).toEqual([
      [null, "applied"],
      [null, "applied"],
    ]);
  });

  it("are not changed while a run is active in the workspace", async () => {
    const { root, context, id } = await place([proposed], { isOver: false });
    writeFiles(root, { "src/a.txt": before });
    await expect(applyPatch(context, { artifact_id: id, by })).rejects.toMatchObject({ code: "workspace_busy" });
  });

  it("are not changed while another run, also one of `spoor run`, is active in the folder or around it", async () => {
    const { log, directory, root, context, id } = await place([proposed]);
    writeFiles(root, { "src/a.txt": before });
    await patchedRun(log, directory, path.join(root, "src"), [], { isOver: false });
    await expect(applyPatch(context, { artifact_id: id, by })).rejects.toMatchObject({ code: "workspace_busy" });
  });

  it("hold their workspace while they are written, and give it back", async () => {
    const { log, root, context, id } = await place([proposed]);
    writeFiles(root, { "src/a.txt": before });
    const wanted = { run_id: "run_other", path: root, mode: "in_place" };
    let attempt: Promise<unknown> = Promise.resolve();
    const onStep = (step: string) => {
      if (step === "check")
        attempt = expect(holdEffects(log.rows, wanted)).rejects.toMatchObject({ code: "workspace_busy" });
    };
    await applyPatch({ ...context, onStep }, { artifact_id: id, by });
    await attempt;
    await expect(holdEffects(log.rows, wanted)).resolves.toHaveLength(2);
  });

  it("never fence a producer that is alive", async () => {
    const { log, context, id, run_id } = await place([proposed], { isOver: false });
    const epoch = await log.claim(run_id);
    await rejectPatch(context, { artifact_id: id, by });
    const draft = { type: "turn.started", timestamp: Date.now(), json: '{"turn_index":2}' };
    await expect(log.append([{ run_id, epoch, drafts: [draft] }])).resolves.toHaveLength(1);
  });
});

describe("two requests at once", () => {
  it("have one winner", async () => {
    for (let round = 0; round < 20; round++) {
      const { root, read, context, id } = await place([proposed]);
      writeFiles(root, { "src/a.txt": before });
      const outcomes = await Promise.allSettled([
        applyPatch(context, { artifact_id: id, by: "ann" }),
        rejectPatch(context, { artifact_id: id, by: "bob" }),
        applyPatch(context, { artifact_id: id, by: "cy" }),
      ]);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === "rejected")
          expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/wrong_status|workspace_busy/) });
      const row = await context.log.rows.find("artifacts", id);
      expect(row?.pending).toBeNull();
      expect(read("src/a.txt")).toEqual(row?.status === "applied" ? after : before);
      expect(readdirSync(path.join(root, "src"))).toEqual(["a.txt"]);
    }
  });
});

it("gives the same rows when they are made again from the events", async () => {
  const { log, root, context, id, run_id, task_id } = await place([proposed, { path: "b", before, after }]);
  writeFiles(root, { "src/a.txt": before });
  await applyPatch(context, { artifact_id: id, by, hunks: [0] });
  await revertPatch(context, { artifact_id: id, by });
  const rows = await artifactsOfRun(log, run_id);
  await log.rows.write(rows.map(({ artifact_id: key }) => ({ do: "delete", table: "artifacts", key })));
  for (const { type, data } of await envelopesOf(log, run_id))
    await log.rows.write(artifactEffects({ type, data: data as never }, { run_id, task_id }));
  expect(await artifactsOfRun(log, run_id)).toEqual(rows);
});
