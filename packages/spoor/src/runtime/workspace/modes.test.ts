import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { prepareWorkspace, removeWorkspace } from "./modes.ts";
import { removeOldShadows, removeOldWorkspaces } from "./remove-old.ts";

function place() {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-modes-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [repo, data] = [path.join(folder, "repo"), path.join(folder, "data")];
  mkdirSync(path.join(repo, "sub"), { recursive: true });
  mkdirSync(data);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...args], {
      cwd: repo,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  git("init", "-q");
  return { folder, repo, data, git };
}

function committed() {
  const all = place();
  const { repo, git, folder } = all;
  writeFileSync(path.join(repo, "sub", "a.txt"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("tag", "start");
  writeFileSync(path.join(repo, "sub", "a.txt"), "two\n");
  git("commit", "-qam", "second");
  const sprung = path.join(folder, "sprung");
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
    const file = path.join(repo, ".git", "hooks", hook);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho ${hook} >> ${sprung}\n`);
    chmodSync(file, 0o755);
  }
  return { ...all, sprung };
}

it("in_place is the folder itself by its real path", async () => {
  const { folder, repo, data } = place();
  symlinkSync(repo, path.join(folder, "link"));
  const request = { mode: "in_place" as const, path: path.join(folder, "link", "sub") };
  expect(await prepareWorkspace(request, "run_1", data)).toEqual({ mode: "in_place", path: path.join(repo, "sub") });
  await expect(prepareWorkspace({ path: path.join(folder, "none") }, "run_1", data)).rejects.toThrow(
    "workspace.path must be a folder that exists",
  );
});

it("a ~ at the beginning of a path is the home folder", async () => {
  const { repo, data } = place();
  vi.stubEnv("HOME", repo);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await prepareWorkspace({ path: "~/sub" }, "run_1", data)).toMatchObject({ path: path.join(repo, "sub") });
  expect(await prepareWorkspace({ path: "~" }, "run_1", data)).toMatchObject({ path: repo });
  await expect(prepareWorkspace({ path: "~sub" }, "run_1", data)).rejects.toThrow("must be a folder that exists");
});

it("a worktree begins with a commit, leaves the user's files alone, and runs no hooks", async () => {
  const { repo, data, git, sprung } = committed();
  writeFileSync(path.join(repo, "sub", "a.txt"), "not committed\n");
  const sub = path.join(repo, "sub");
  const newest = await prepareWorkspace({ mode: "worktree", path: sub }, "run_1", data);
  const older = await prepareWorkspace({ mode: "worktree", path: repo, base: "start" }, "run_2", data);
  expect(newest).toEqual({ mode: "worktree", path: path.join(data, "worktrees", "run_1", "sub") });
  expect(readFileSync(path.join(newest.path, "a.txt"), "utf8")).toBe("two\n");
  expect(readFileSync(path.join(older.path, "sub", "a.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(path.join(sub, "a.txt"), "utf8")).toBe("not committed\n");
  expect(existsSync(sprung)).toBe(false);
  await removeWorkspace(newest, data);
  expect(existsSync(path.join(data, "worktrees", "run_1"))).toBe(false);
  expect(git("worktree", "list")).not.toContain("run_1");
  expect(git("worktree", "list")).toContain("run_2");
});

it("a clone is a copy without hooks", async () => {
  const { repo, data, sprung } = committed();
  const made = await prepareWorkspace({ mode: "clone", repo, base: "start" }, "run_1", data);
  expect(readFileSync(path.join(made.path, "sub", "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(path.join(made.path, ".git", "hooks"))).toBe(false);
  expect(existsSync(sprung)).toBe(false);
  const other = await prepareWorkspace({ mode: "clone", path: path.join(repo, "sub") }, "run_2", data);
  expect(readFileSync(path.join(other.path, "sub", "a.txt"), "utf8")).toBe("two\n");
  await removeWorkspace(made, data);
  expect([existsSync(made.path), existsSync(other.path)]).toEqual([false, true]);
});

it("what cannot be made is refused with the reason, and nothing is left", async () => {
  const { folder, repo, data } = place();
  const cases: [Parameters<typeof prepareWorkspace>[0], string][] = [
    [{ mode: "worktree", path: folder }, "needs a git repository"],
    [{ mode: "worktree", path: repo }, "has no commit yet"],
    [{ mode: "worktree", path: repo, base: "--upload-pack=x" }, "base must be a commit"],
    [{ mode: "clone" }, "needs `repo`"],
    [{ mode: "clone", repo: path.join(folder, "none") }, "could not clone"],
    [{ mode: "clone", repo: "ext::sh -c touch% /tmp/pwned" }, "could not clone"],
    [{ mode: "clone", repo: "--upload-pack=touch x" }, "could not clone"],
    [{ mode: "clone", repo, base: "nowhere" }, "no commit, branch or tag named nowhere"],
  ];
  for (const [request, message] of cases) {
    await expect(prepareWorkspace(request, "run_1", data)).rejects.toMatchObject({
      code: "workspace_invalid",
      message: expect.stringContaining(message),
    });
    expect(existsSync(path.join(data, "worktrees", "run_1"))).toBe(false);
  }
});

it("a folder of the user is never removed", async () => {
  const { repo, data } = committed();
  for (const folder of [repo, data, path.join(data, "worktrees"), path.join(data, "worktrees", "..", "..", "repo")]) {
    await removeWorkspace({ mode: "worktree", path: folder }, data);
    await removeWorkspace({ mode: "clone", path: folder }, data);
  }
  expect([existsSync(path.join(repo, "sub", "a.txt")), existsSync(data)]).toEqual([true, true]);
});

it("the shadow of a workspace is removed when nothing ran there for thirty days", async () => {
  const { data } = place();
  mkdirSync(path.join(data, "workspaces", "abc", "shadow.git"), { recursive: true });
  const day = 24 * 60 * 60 * 1000;
  expect(await removeOldShadows(data, Date.now() + 29 * day)).toEqual([]);
  expect(await removeOldShadows(data, Date.now() + 31 * day)).toEqual(["abc"]);
  expect(existsSync(path.join(data, "workspaces", "abc"))).toBe(false);
});

it("retention keeps the workspace of a task's newest run, of an active run, and of one with unapplied patches", async () => {
  const { log } = temporaryLog();
  const { repo, data } = committed();
  const ids = ["old", "proposed", "active", "newest"].map((_, n) => `run_01K00000000000000000000${n}AB`);
  const [old = "", proposed = "", active = "", newest = ""] = ids;
  for (const [n, run_id] of ids.entries()) {
    await prepareWorkspace({ mode: n === 0 ? "worktree" : "clone", path: repo }, run_id, data);
    const create = { agent: "a", kind: "agent", task_id: "task_1" };
    const facts = { status: run_id === active ? ("running" as const) : ("completed" as const) };
    await log.append([{ run_id, create, drafts: [], facts }]);
  }
  const artifact = { artifact_id: "art_1", run_id: proposed, kind: "patch", status: "proposed", created_at: 1 };
  await log.rows.write([{ do: "insert", table: "artifacts", row: artifact }]);
  expect(await removeOldWorkspaces(log, data)).toEqual([old]);
  expect(ids.map((run_id) => existsSync(path.join(data, "worktrees", run_id)))).toEqual([false, true, true, true]);
  expect(newest).toBe(ids[3]);
});
