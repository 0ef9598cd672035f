import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { needsBubblewrap, openHeld } from "../../../testing/loop/held-commands.ts";
import { gitExec } from "./git-exec.ts";

const git = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });

/** A repository with one commit, made by somebody. */
function repository(root: string): void {
  mkdirSync(root, { recursive: true });
  git(root, "init", "-q", "-b", "main");
  writeFileSync(path.join(root, "file.txt"), "one\n");
  git(root, "add", ".");
  git(root, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "first");
}

describe.each(["bwrap", "none"] as const)("git in the sandbox %s", { timeout: 60_000 }, (choice) => {
  if (choice === "bwrap") needsBubblewrap();

  function open() {
    const held = openHeld({ choice });
    writeFileSync(held.inPlace("home/.gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    repository(held.root);
    return held;
  }

  it("adds and commits as the user", async () => {
    const held = open();
    writeFileSync(held.at("file.txt"), "two\n");
    expect((await held.git(["add", "-A"])).result.error).toBeUndefined();
    const { result, fields } = await held.git(["commit", "-m", "it's second"]);
    expect(result.error).toBeUndefined();
    expect(fields["tool.shell.command"]).toMatchObject({
      argv: ["git", "commit", "-m", "it's second"],
      command_string: `git commit -m 'it'\\''s second'`,
    });
    expect(git(held.root, "log", "-1", "--format=%an <%ae> %s")).toBe("Ada <ada@example.com> it's second\n");
  });

  it("works through a shell, too", async () => {
    const held = open();
    const { text } = await held.shell(
      "echo two > file.txt; git add -A; git commit -qm second; git log --oneline | wc -l",
    );
    expect(text.trim()).toBe("2");
  });

  it("D4: a repository cannot make it run a program", async () => {
    const held = open();
    const trap = held.at("trap");
    writeFileSync(trap, "#!/bin/sh\ntouch ran\ncat\n");
    chmodSync(trap, 0o755);
    for (const hook of ["pre-commit", "post-commit", "post-checkout", "commit-msg", "prepare-commit-msg"]) {
      writeFileSync(held.at(`.git/hooks/${hook}`), "#!/bin/sh\ntouch ran\n");
      chmodSync(held.at(`.git/hooks/${hook}`), 0o755);
    }
    const settings = {
      ...{ "core.fsmonitor": trap, "core.hooksPath": ".git/hooks", "core.pager": trap, "core.editor": trap },
      ...{ "core.sshCommand": trap, "core.askPass": trap, "diff.external": trap, "diff.x.textconv": trap },
      ...{ "diff.x.command": trap, "filter.x.clean": trap, "filter.x.smudge": trap, "gpg.program": trap },
      ...{ "commit.gpgSign": "true", "log.showSignature": "true", "alias.bad": `!${trap}`, "credential.helper": trap },
      ...{ "merge.x.driver": trap, "pager.log": trap, "sequence.editor": trap, "trailer.x.command": trap },
    };
    for (const [name, value] of Object.entries(settings)) git(held.root, "config", name, value);
    writeFileSync(held.at(".gitattributes"), "* filter=x diff=x merge=x\n");
    writeFileSync(held.at("file.txt"), "two\n");
    const calls = [
      ["status"],
      ["add", "-A"],
      ["diff", "--cached"],
      ["commit", "-m", "second"],
      ["log", "-p"],
      ["show"],
      ["checkout", "-b", "other"],
      ["checkout", "main"],
      ["commit", "--amend"],
      ["bad"],
      ["stash"],
      ["blame", "file.txt"],
      ["stash", "show", "-p"],
      ["grep", "two"],
      ["reflog", "-p"],
      ["tag", "-a", "v1", "-m", "x"],
    ];
    for (const args of calls) {
      await held.git(args);
      expect(existsSync(held.at("ran")), args.join(" ")).toBe(false);
    }
    expect(
      git(
        held.root,
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.pager=cat",
        "log",
        "--format=%s",
        "--no-show-signature",
      ).trim(),
    ).toBe("second\nfirst");
  });

  it.each([
    [["-c", "core.pager=x", "log"]],
    [["--git-dir=/x", "log"]],
    [["--exec-path=/x"]],
    [["init", "--template=x", "new"]],
    [["log", "a\0b"]],
  ])("refuses %j before anything starts", async (args) => {
    const { result, signals } = await open().git(args);
    expect(result.outcome).toBe("failed");
    expect(signals).toEqual([]);
  });

  it("does not ask for a password or an editor", async () => {
    const held = open();
    const { result } = await held.git(["commit", "--allow-empty"]);
    expect(result.error).toMatch(/exit code 1/);
  });

  it("cannot change its settings", async () => {
    if (choice === "none") return;
    const held = open();
    await held.git(["config", "core.fsmonitor", "bad"]);
    await held.git(["remote", "add", "x", "ext::sh -c bad"]);
    expect(git(held.root, "config", "--list", "--local")).not.toMatch(/bad/);
  });

  it("makes a repository where there is none", async () => {
    const held = openHeld({ choice });
    expect((await held.git(["init"])).result.error).toBeUndefined();
    expect(existsSync(held.at(".git/HEAD"))).toBe(true);
    expect(readdirSync(held.root)).toEqual([".git"]);
  });

  it("in a work tree elsewhere, git can commit; in the sandbox a shell command can only look", async () => {
    const held = openHeld({ choice, root: (place) => path.join(place, "data", "worktrees", "run_1") });
    writeFileSync(held.inPlace("home/.gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    const repo = held.inPlace("home/repo");
    repository(repo);
    git(repo, "worktree", "add", "-q", "--detach", held.root);
    writeFileSync(held.at("file.txt"), "two\n");
    expect((await held.shell("git status --porcelain; git log --format=%s")).text).toBe(" M file.txt\nfirst\n");
    if (choice === "bwrap") {
      expect(
        (await held.shell("git commit -qam second; git update-ref -d refs/heads/main; rm -rf ~/repo")).result.error,
      ).toBeDefined();
    }
    expect((await held.git(["commit", "-qam", "second"])).text).toBe(
      "The command ended with exit code 0 and wrote nothing.",
    );
    expect(git(held.root, "log", "--format=%s")).toBe("second\nfirst\n");
    expect(git(repo, "log", "--format=%s", "main")).toBe("first\n");
    expect(git(repo, "status", "--porcelain")).toBe("");
  });

  it("a git file of the workspace that points anywhere opens nothing", async () => {
    if (choice === "none") return;
    const held = openHeld({ choice });
    repository(held.inPlace("home/repo"));
    writeFileSync(held.at(".git"), `gitdir: ${held.inPlace("home/repo/.git")}\n`);
    expect((await held.git(["log"])).result.error).toMatch(/exit code 128/);
    expect((await held.shell("ls -A ~")).text).not.toContain("repo");
  });
});

describe("what rules judge about git", () => {
  it("is the command as a shell would read it", () => {
    const place = { root: "/w", environment: {} };
    expect(
      gitExec.actions({ args: ["push", "origin", "a b; rm -rf /"], cwd: "sub", hosts: ["github.com"] }, place),
    ).toEqual([
      { subject: "git", command: "git push origin 'a b; rm -rf /'", cwd: "/w/sub", tool: "git_exec" },
      { subject: "host", host: "github.com", cwd: "/w/sub", tool: "git_exec" },
    ]);
  });
});
