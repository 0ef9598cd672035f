import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { all, answersIn, eventsOfRun, newWorkspace, runAcp, type Step } from "../../../testing/run/acp-agent.ts";
import { adapters } from "../../agents/registry.ts";
import { protectionOf } from "./protected.ts";

const write = (file: string, content = "hostile\n"): Step => ({
  ask: "fs/write_text_file",
  params: { path: file, content },
});
const read = (file: string): Step => ({ ask: "fs/read_text_file", params: { path: file } });
const report: Step = { report: true };

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
  execFileSync("git", [...author, ...args], { cwd, env, stdio: "ignore" });
}

function newRepository(): string {
  const cwd = newWorkspace();
  git(cwd, "init");
  return cwd;
}

/** Expects each write to be refused with the reason, and no file to be created. */
async function expectRefused(cwd: string, files: readonly string[], reason = /Git runs commands/): Promise<void> {
  const events = await eventsOfRun(runAcp([...files.map((file) => write(file)), report], { cwd }));
  const answers = answersIn(events);
  for (const [at, file] of files.entries()) {
    expect(answers[at], file).toMatchObject({ error: { message: expect.stringMatching(reason) } });
    const target = path.resolve(cwd, file);
    if (existsSync(target)) expect(readFileSync(target, "utf8"), file).not.toContain("hostile");
  }
  expect(all(events, "approval_denied")).toHaveLength(files.length);
  expect(events.map(({ type }) => type)).not.toContain("file_create");
}

describe("under approve auto an agent does not write", () => {
  it("Git's hooks and configuration, by any spelling of the path", async () => {
    const cwd = newRepository();
    symlinkSync(".git", path.join(cwd, "innocent"));
    symlinkSync(".git/hooks", path.join(cwd, "scripts"));
    symlinkSync(".git/config", path.join(cwd, "settings.ini"));
    mkdirSync(path.join(cwd, "sub"));
    await expectRefused(cwd, [
      ".git/hooks/pre-commit",
      ".git/config",
      path.join(cwd, ".git/info/attributes"),
      "sub/../.git/hooks/post-checkout",
      ".GIT/hooks/pre-commit",
      ".git./config",
      ".g\u200Cit/config",
      "git~1/config",
      ".git::$INDEX_ALLOCATION/config",
      "innocent/hooks/pre-push",
      "scripts/pre-push",
      "settings.ini",
      "sub/nested/.git/hooks/pre-commit",
      ".husky/pre-commit",
    ]);
    expect(existsSync(path.join(cwd, "sub/nested"))).toBe(false);
  });

  it("the hooks that the configuration names", async () => {
    const cwd = newRepository();
    mkdirSync(path.join(cwd, "sub"));
    git(cwd, "config", "core.hooksPath", "tools/checks");
    await expectRefused(cwd, ["tools/checks/pre-commit", "sub/../tools/checks/deep/er"]);
  });

  it("the repository of a worktree, wherever it is", async () => {
    const cwd = newRepository();
    git(cwd, "commit", "--allow-empty", "-m", "First");
    git(cwd, "worktree", "add", "tree");
    renameSync(path.join(cwd, ".git"), path.join(cwd, "store"));
    writeFileSync(path.join(cwd, ".git"), "gitdir: store\n");
    writeFileSync(path.join(cwd, "tree/.git"), `gitdir: ${cwd}/store/worktrees/tree\n`);
    await expectRefused(cwd, [
      ".git",
      "tree/.git",
      "store/hooks/pre-commit",
      "store/config",
      "store/worktrees/tree/HEAD",
    ]);
  });

  it("settings of agents and editors, and what shells run", async () => {
    const cwd = newWorkspace();
    const agents = [".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json"];
    await expectRefused(
      cwd,
      [...agents, ".Claude/hooks/x.sh", "app/.mcp.json", ".github/copilot/settings.json"],
      /agents/,
    );
    await expectRefused(cwd, [".vscode/tasks.json", "app/.idea/workspace.xml"], /editors/);
    await expectRefused(cwd, [".bashrc", ".envrc"], /shells/);
  });

  it("any file that an adapter lists as settings", async () => {
    const known = adapters.flatMap(({ about }) => {
      const { files = {}, mcp } = about?.settings ?? {};
      return [...Object.values(files), ...Object.values(mcp?.files ?? {})].map((place) => place.path);
    });
    const inProject = known.filter((file) => file.startsWith("./"));
    expect(inProject.length).toBeGreaterThan(5);
    const cwd = newWorkspace();
    for (const file of inProject) expect(await protectionOf(cwd, path.join(cwd, file)), file).toBeDefined();
  });
});

describe("protection", () => {
  it("does not cover files whose names are only similar", async () => {
    const cwd = newRepository();
    const files = [".github/workflows/ci.yml", ".gitignore", "AGENTS.md", "git/config", "src/.claudeignore"];
    await eventsOfRun(
      runAcp(
        files.map((file) => write(file, "fine\n")),
        { cwd },
      ),
    );
    for (const file of files) expect(readFileSync(path.join(cwd, file), "utf8")).toBe("fine\n");
  });

  it("is lifted if somebody grants Spoor's own question, whatever the agent had asked", async () => {
    const cwd = newRepository();
    const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
    const toolCall = { toolCallId: "c", title: "Tidy up", kind: "edit", locations: [{ path: ".vscode/tasks.json" }] };
    const steps = [{ ask: "session/request_permission", params: { toolCall, options } }, write(".vscode/tasks.json")];
    const events = await eventsOfRun(runAcp(steps, { cwd, approve: "ask" }), true);
    expect(all(events, "approval_request").map(({ detail, riskLevel }) => [detail, riskLevel])).toEqual([
      ["Tidy up", "medium"],
      [expect.stringMatching(/^\.vscode\/tasks\.json \(editors/), "high"],
    ]);
    expect(readFileSync(path.join(cwd, ".vscode/tasks.json"), "utf8")).toBe("hostile\n");
  });
});

describe("a file with several hard links", () => {
  it("is neither read nor written, because it may also be outside the workspace", async () => {
    const outer = newWorkspace();
    const cwd = path.join(outer, "project");
    mkdirSync(cwd);
    writeFileSync(path.join(outer, "secret.txt"), "secret");
    linkSync(path.join(outer, "secret.txt"), path.join(cwd, "notes.txt"));
    const events = await eventsOfRun(runAcp([read("notes.txt"), write("notes.txt"), report], { cwd }));
    for (const { error } of answersIn(events)) expect(error?.message).toMatch(/one of 2 hard links/);
    expect(readFileSync(path.join(outer, "secret.txt"), "utf8")).toBe("secret");
    expect(JSON.stringify(events)).not.toContain('"secret"');
  });
});
