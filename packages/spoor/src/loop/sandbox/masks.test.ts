import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { needsBubblewrap, openHeld } from "../../../testing/loop/held-commands.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { agentFiles } from "../../runtime/policy/builtin.ts";
import { Worker } from "../../runtime/queue/worker.ts";
import { loop } from "../loop-kind.ts";
import { masksOf } from "./masks.ts";
import { holdPlaceholders, sweepPlaceholders } from "./placeholders.ts";

needsBubblewrap();

describe("B3: settings that programs outside the sandbox trust", () => {
  const names = agentFiles
    .flatMap((line) => line.split(" "))
    .filter((each) => each.startsWith("**/"))
    .map((each) =>
      each
        .slice(3)
        .replace("{.amazonq,", ".amazonq")
        .replace(/\.amazonq.*\}/, ".amazonq")
        .replace("**", "x.json"),
    );
  const gitNames = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/config.worktree",
    ".git/modules/x/config",
    ".git/worktrees/x/config.worktree",
  ];

  it.each([...names, ...gitNames])("cannot be made where they are absent: %s", async (file) => {
    const held = openHeld();
    if (file.startsWith(".git/")) mkdirSync(held.at(".git"));
    await held.shell(
      `mkdir -p ${path.dirname(file)}; echo bad > ${file}; rm -rf ${file.split("/")[0]}; mkdir -p ${path.dirname(file)}; echo bad > ${file}`,
    );
    expect(existsSync(held.at(file))).toBe(false);
    expect(readdirSync(held.root)).toEqual(file.startsWith(".git/") ? [".git"] : []);
  });

  it("cannot be changed, moved, linked or replaced where they are", async () => {
    const held = openHeld();
    execFileSync("git", ["init", "-q", held.root]);
    mkdirSync(held.at(".claude"));
    writeFileSync(held.at(".claude/settings.json"), "{}");
    writeFileSync(held.at(".mcp.json"), "{}");
    const config = readFileSync(held.at(".git/config"), "utf8");
    const { result } = await held.shell(
      "git config core.fsmonitor /bad; echo bad >> .git/config; mv .git old; mkdir .git; rm -rf .git/hooks; echo bad > .git/hooks/post-checkout; " +
        "echo bad > .claude/settings.json; rm -rf .claude; mv .claude old; ln .claude/settings.json here && echo bad > here; echo bad > .mcp.json; rm .mcp.json; ln -sf /tmp/x .mcp.json; cp -f /dev/null .mcp.json; echo over",
    );
    expect(result.output).toContain("over");
    expect(readFileSync(held.at(".git/config"), "utf8")).toBe(config);
    expect(readFileSync(held.at(".claude/settings.json"), "utf8")).toBe("{}");
    expect(readFileSync(held.at(".mcp.json"), "utf8")).toBe("{}");
    expect(existsSync(held.at(".git/hooks/post-checkout"))).toBe(false);
    expect(readdirSync(held.root).sort()).toEqual([".claude", ".git", ".mcp.json"]);
  });

  it("that are links are made anew, and a pointer to another git directory is removed", async () => {
    const held = openHeld();
    execFileSync("git", ["init", "-q", held.root]);
    mkdirSync(held.at("agents"));
    symlinkSync("agents", held.at(".claude"));
    const { text } = await held.shell(
      "rm .claude; mkdir .claude; echo bad > .claude/settings.json; echo bad > agents/settings.json; echo ../evil > .git/commondir; exit 3",
    );
    expect(text).toContain(
      "The command ended with exit code 3. The command changed .git/commondir, .claude, which commands must not change. That was undone.",
    );
    expect(readlinkSync(held.at(".claude"))).toBe("agents");
    expect(readdirSync(held.at("agents"))).toEqual([]);
    expect(existsSync(held.at(".git/commondir"))).toBe(false);
  });

  it("git in a workspace does not see the placeholders", async () => {
    const held = openHeld();
    execFileSync("git", ["init", "-q", held.root]);
    const { result } = await held.shell(
      "git status --porcelain --untracked-files=all; git add -A; git status --porcelain; echo over",
    );
    expect(result.output).toBe("over\n");
  });

  it("placeholders that a killed process left are removed by the next sandbox, except what is not empty", async () => {
    const held = openHeld();
    const release = holdPlaceholders(held.directory, held.root, masksOf(held.root));
    expect(lstatSync(held.at(".claude")).isDirectory()).toBe(true);
    sweepPlaceholders(held.directory);
    expect(existsSync(held.at(".claude"))).toBe(true);
    writeFileSync(held.at(".claude/settings.json"), "{}");
    const [folder = ""] = readdirSync(path.join(held.directory, "sandbox", "placeholders"));
    const state = path.join(held.directory, "sandbox", "placeholders", folder);
    const [own = ""] = readdirSync(state).filter((name) => name.startsWith(`${process.pid}-`));
    renameSync(path.join(state, own), path.join(state, `${process.pid}-1`));
    sweepPlaceholders(held.directory);
    expect(readdirSync(held.root)).toEqual([".claude"]);
    release();
  });

  it("placeholders that a killed process left are removed when a worker starts", async () => {
    const held = openHeld();
    const release = holdPlaceholders(held.directory, held.root, masksOf(held.root));
    const [folder = ""] = readdirSync(path.join(held.directory, "sandbox", "placeholders"));
    const state = path.join(held.directory, "sandbox", "placeholders", folder);
    const [own = ""] = readdirSync(state).filter((name) => name.startsWith(`${process.pid}-`));
    renameSync(path.join(state, own), path.join(state, `${process.pid}-1`));
    const { log } = temporaryLog();
    const worker = new Worker({ log, directory: held.directory, concurrency: 1, kinds: [loop] });
    await vi.waitFor(() => expect(readdirSync(held.root)).toEqual([]), { timeout: 30_000 });
    await worker.close();
    release();
  });
});
