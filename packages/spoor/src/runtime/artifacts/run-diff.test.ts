import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, patchedRun, temporaryFolder, writeFiles } from "../../../testing/runtime/patches.ts";
import { envelopesOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { createRedactor } from "../redaction/index.ts";
import { revertPatch, revertRun, runDiff } from "./index.ts";

const text = (value: string) => Buffer.from(value);

function gitApply(root: string, diff: Buffer, ...flags: string[]): void {
  execFileSync("git", ["apply", "--whitespace=nowarn", ...flags], {
    ...{ cwd: root, input: diff, stdio: "pipe", env: { PATH: process.env.PATH, HOME: root } },
  });
}

function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(path.join(root, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(path.join(root, name)).toString("latin1")]));
}

describe("the diff of a run", () => {
  it("sums up the changes of each file, and git applies it to a fresh worktree", async () => {
    const { log, directory } = temporaryLog();
    const { run_id } = await patchedRun(log, directory, "/nowhere", [
      { path: "a", before: text("1\n"), after: text("2\n") },
      { path: "dir/new file", before: undefined, after: text("made") },
      { path: "a", before: text("2\n"), after: text("3\n") },
      { path: "gone", before: Buffer.from([0, 255]), after: undefined },
      { path: "never", before: undefined, after: text("x") },
      { path: "never", before: text("x"), after: undefined },
      { path: "elsewhere", before: text("x"), after: text("y"), attribution: "outside" },
    ]);
    const { diff, files } = await runDiff(log, directory, { run_id });
    expect(files).toEqual([
      { path: "a", additions: 1, deletions: 1 },
      { path: "dir/new file", additions: 1, deletions: 0 },
      { path: "gone", additions: 0, deletions: 0 },
    ]);
    const root = temporaryFolder();
    writeFiles(root, { a: "1\n", gone: Buffer.from([0, 255]), elsewhere: "x" });
    gitApply(root, diff);
    expect(filesOf(root)).toEqual({ a: "3\n", "dir/new file": "made", elsewhere: "x" });
    gitApply(root, diff, "-R");
    expect(filesOf(root)).toEqual({ a: "1\n", gone: "\0\u00ff", elsewhere: "x" });
  });

  it("gives the files of any series of changes", { timeout: 60_000 }, async () => {
    const { log, directory } = temporaryLog();
    const content = fc.option(
      fc.array(fc.constantFrom("a\n", "b\n", "c\r\n", "d"), { maxLength: 12 }).map((lines) => text(lines.join(""))),
      { nil: undefined },
    );
    const versions = fc.record({
      a: fc.array(content, { minLength: 1, maxLength: 4 }),
      b: fc.array(content, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(versions, async (given) => {
        const changes: Change[] = Object.entries(given).flatMap(([name, all]) =>
          all.slice(1).flatMap((after, at) => {
            const before = all[at];
            return before === after ? [] : [{ path: name, before, after }];
          }),
        );
        const { run_id } = await patchedRun(log, directory, "/nowhere", changes);
        const { diff } = await runDiff(log, directory, { run_id });
        const [first, last] = [temporaryFolder(), temporaryFolder()];
        for (const [name, all] of Object.entries(given)) {
          if (all[0]) writeFiles(first, { [name]: all[0] });
          const end = all.at(-1);
          if (end) writeFiles(last, { [name]: end });
        }
        if (diff.length > 0) gitApply(first, diff);
        expect(filesOf(first)).toEqual(filesOf(last));
      }),
      { numRuns: 40 },
    );
  });

  it("ends at a checkpoint or a sequence, and leaves out what was reverted", async () => {
    const { log, directory } = temporaryLog();
    const root = temporaryFolder();
    const { run_id, artifact_ids } = await patchedRun(log, directory, root, [
      { path: "a", before: text("1\n"), after: text("2\n") },
      { path: "b", before: text("1\n"), after: text("2\n") },
    ]);
    writeFiles(root, { a: "2\n", b: "2\n" });
    await revertPatch({ log, directory }, { artifact_id: artifact_ids[0] as string, by: "ann" });
    const paths = async (through?: string) =>
      (await runDiff(log, directory, { run_id }, { through })).files.map(({ path }) => path);
    expect(await paths()).toEqual(["b"]);
    expect(await paths(`ckpt_${run_id.slice(4)}`)).toEqual(["a", "b"]);
    const created = (await envelopesOf(log, run_id)).find(({ type }) => type === "artifact.created");
    expect(await paths(String(created?.sequence))).toEqual(["a"]);
    expect((await runDiff(log, directory, { run_id }, { files: ["zzz"] })).diff.length).toBe(0);
    await expect(paths("ckpt_unknown")).rejects.toMatchObject({ code: "not_found" });
  });

  it("redacts secrets, says so, and the exact bytes are reverted all the same", async () => {
    const { log, directory } = temporaryLog();
    const root = temporaryFolder();
    const { redact } = createRedactor([{ name: "db", value: "hunter2-hunter2" }]);
    const before = text("x\n");
    const after = text(`password = hunter2-hunter2\n${"long line\n".repeat(3_000)}`);
    const { run_id } = await patchedRun(log, directory, root, [{ path: ".env", before, after, redact }]);
    const found = await runDiff(log, directory, { run_id });
    expect(found.redacted).toEqual([".env"]);
    expect(found.diff.toString()).toContain("# .env: secrets are redacted here");
    writeFiles(root, { ".env": after });
    await revertRun({ log, directory }, { run: (await log.run(run_id)) as never, by: "ann" });
    expect(readFileSync(path.join(root, ".env"))).toEqual(before);
    const events = JSON.stringify(await envelopesOf(log, run_id));
    const again = await runDiff(log, directory, { run_id });
    const served = events + found.diff.toString() + again.diff.toString();
    expect(served).not.toContain("hunter2");
    await log.close();
    for (const [name, content] of Object.entries(filesOf(directory)))
      expect(content.includes("hunter2"), name).toBe(false);
  });
});
