import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPlace } from "../../../testing/cli/process.ts";
import { type Change, patchedRun, writeFiles } from "../../../testing/runtime/patches.ts";
import { openLog } from "../../log/open.ts";

const before = Buffer.from(Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join(""));
const after = Buffer.from(before.toString().replace("line 2\n", "two\u001b[31m\n").replace("line 25\n", ""));

/** A data directory with a finished run, and its workspace. */
async function patchedPlace(changes: readonly Change[]) {
  const place = createPlace("patches");
  onTestFinished(place.remove);
  const root = path.join(place.home, "work");
  mkdirSync(root);
  const log = await openLog({ directory: place.data });
  const run = await patchedRun(log, place.data, root, changes);
  await log.close();
  const json = async (argv: string[]) =>
    (await place.spoor([...argv, "--json"])).stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { ...place, ...run, root, json, id: run.artifact_ids[0] as string };
}

const proposed = [
  { path: "src/a", before, after, operation: "propose" },
  { path: "b", before: undefined, after: Buffer.from("new"), operation: "propose" },
] as const;

describe("spoor patches and spoor patch", () => {
  it("list, show, apply, reject and revert patches, also by hunk", { timeout: 60_000 }, async () => {
    const { spoor, json, root, id, artifact_ids, onTerminal } = await patchedPlace(proposed);
    writeFiles(root, { "src/a": before });
    const list = await spoor(["patches"]);
    expect(list.stdout).toContain(`${id}  proposed  2      +1/-2  src/a`);
    expect(await json(["patches", "last", "--status", "proposed"])).toHaveLength(2);
    const shown = await spoor(["patch", "show", id.slice(-8)]);
    expect(shown.stdout).toContain("+two\u001b[31m");
    const onScreen = onTerminal(["patch", "show", id]);
    expect(onScreen).toContain("[hunk 1]");
    expect(onScreen).toContain("\u001b[32m+two\\u001b[31m\u001b[0m");
    expect((await spoor(["patch", "show", id, "--hunk", "1"])).stdout).not.toContain("two");
    expect(await json(["patch", "apply", id, "--hunk", "0"])).toMatchObject([
      { status: "applied", applied_hunks: [0] },
    ]);
    expect(readFileSync(path.join(root, "src/a"), "utf8")).toContain("line 25\n");
    expect(await json(["patch", "apply", id, "--hunk", "1"])).toMatchObject([{ applied_hunks: [0, 1] }]);
    expect(readFileSync(path.join(root, "src/a"))).toEqual(after);
    expect((await spoor(["patch", "revert", id, "-m", "no"])).code).toBe(0);
    expect(readFileSync(path.join(root, "src/a"))).toEqual(before);
    expect(await json(["patch", "reject", artifact_ids[1] as string])).toMatchObject([{ status: "rejected" }]);
    const again = await spoor(["patch", "reject", artifact_ids[1] as string]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is rejected, so it cannot be rejected") });
  });

  it("write nothing on a conflict, and say what is in the way", { timeout: 60_000 }, async () => {
    const { spoor, json, root, run_id, id } = await patchedPlace(proposed);
    writeFiles(root, { "src/a": "mine" });
    const refused = await spoor(["apply", run_id]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /"src\/a" is not as the patch left or found it\.\n {2}"src\/a": hunk 0 does not fit; expected sha256:\w+…, found sha256/,
    );
    expect(readdirSync(root)).toEqual(["src"]);
    expect(await json(["patch", "apply", id])).toMatchObject([
      { error: { code: "conflict", conflict: { files: [{ path: "src/a" }] } } },
    ]);
    expect(await spoor(["patch", "apply", "art_zzz"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no patch"),
    });
    expect(await spoor(["patch", "apply", id, "--hunk", "x"])).toMatchObject({ code: 2 });
    expect(await spoor(["patch", "apply", id, "--hunk", "7"])).toMatchObject({ code: 1 });
  });
});

describe("spoor diff, spoor apply and spoor revert", () => {
  it("work on everything a run changed", { timeout: 60_000 }, async () => {
    const [one, two] = [Buffer.from("1\n"), Buffer.from("2\n")];
    const { spoor, json, root, home, run_id } = await patchedPlace([
      { path: "a", before: one, after: two },
      { path: "b/c", before: undefined, after: one },
    ]);
    writeFiles(root, { a: two, "b/c": one });
    const fresh = path.join(home, "fresh");
    mkdirSync(fresh);
    writeFileSync(path.join(fresh, "a"), one);
    const { stdout } = await spoor(["diff", "last"]);
    execFileSync("git", ["apply"], { cwd: fresh, input: stdout, env: { PATH: process.env.PATH, HOME: home } });
    expect(readFileSync(path.join(fresh, "a"))).toEqual(two);
    expect((await spoor(["diff", "--stat"])).stdout).toBe("+1  -1  a\n+1  -0  b/c\n");
    for (const typed of ["b", "./b/", "b/c"])
      expect((await spoor(["diff", run_id, "--stat", "--", typed])).stdout).toBe("+1  -0  b/c\n");
    expect((await spoor(["diff", run_id, "--stat", "--", "."])).stdout).toMatch(/ a\n.* b\/c\n/);
    expect((await spoor(["diff", run_id, "--", "nothing"])).stderr).toContain("The run changed nothing in nothing.");
    expect(await json(["diff", run_id, "--file", "a"])).toMatchObject([{ run_id, files: [{ path: "a" }] }]);
    const other = path.join(home, "other");
    mkdirSync(other);
    writeFileSync(path.join(other, "a"), one);
    expect((await spoor(["apply", run_id, "--to", other])).stdout).toContain("Applied 2 changes");
    expect(readFileSync(path.join(other, "b/c"))).toEqual(one);
    expect((await spoor(["revert", run_id, "--file", "b/c"])).code).toBe(0);
    expect(readdirSync(root)).toEqual(["a"]);
    expect(await json(["revert", run_id])).toMatchObject([{ target_path: "a", status: "reverted" }]);
    expect(readFileSync(path.join(root, "a"))).toEqual(one);
    expect((await spoor(["revert", run_id])).stdout).toContain("has nothing to revert");
    expect((await spoor(["diff"])).stdout).toBe("");
    const events = await spoor(["events", run_id, "--json"]);
    expect((await spoor(["check"], events.stdout)).code).toBe(0);
  });

  it("work while a server runs on the directory", { timeout: 60_000 }, async () => {
    const { spoor, start, root, id } = await patchedPlace(proposed);
    writeFiles(root, { "src/a": before });
    const server = start(["serve", "--port", "0"]);
    onTestFinished(() => void server.kill());
    await new Promise((resolve) => server.stdout.once("data", resolve));
    expect(await spoor(["patch", "apply", id])).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(root, "src/a"))).toEqual(after);
  });
});
