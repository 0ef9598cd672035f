import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { needsBubblewrap, openHeld } from "../../../testing/loop/held-commands.ts";
import { createNested } from "./nested.ts";

needsBubblewrap();

type Held = ReturnType<typeof openHeld>;

function write(held: Held, file: string, text = "{}"): void {
  mkdirSync(path.dirname(held.at(file)), { recursive: true });
  writeFileSync(held.at(file), text);
}

const read = (held: Held, file: string): string => readFileSync(held.at(file), "utf8");

describe("B3: settings below the top of the workspace", () => {
  it("cannot be changed, removed or replaced where they are", async () => {
    const held = openHeld();
    const files = [
      "a/.claude/settings.json",
      "a/b/.mcp.json",
      "c/.github/copilot/settings.json",
      "c/.vscode/tasks.json",
    ];
    for (const file of files) write(held, file);
    const { result } = await held.shell(
      `for f in ${files.join(" ")}; do echo bad > $f; rm -f $f; cp -f /etc/hostname $f; ln -sf /tmp/x $f; done; rm -rf a/.claude; mv a/.claude x; echo over`,
    );
    expect(result.output).toContain("over");
    for (const file of files) expect(read(held, file), file).toBe("{}");
  });

  it("of nested repositories and submodules, too, while git can work there", async () => {
    const held = openHeld();
    execFileSync("git", ["init", "-q", held.at("lib")]);
    write(held, "sub/.git", "gitdir: ../lib/.git\n");
    const config = read(held, "lib/.git/config");
    const { result } = await held.shell(
      "cd lib; git config core.fsmonitor /bad; echo bad > .git/hooks/pre-commit; echo bad >> .git/config; echo x > ../sub/.git; rm -rf .git/hooks .git/config; mv .git old; git -c user.name=n -c user.email=e commit -q --allow-empty -m one && git log --format=%s",
    );
    expect(result.output).toContain("one");
    expect(read(held, "lib/.git/config")).toBe(config);
    expect(existsSync(held.at("lib/.git/hooks/pre-commit"))).toBe(false);
    expect(read(held, "sub/.git")).toBe("gitdir: ../lib/.git\n");
    expect(readdirSync(held.root).sort()).toEqual(["lib", "sub"]);
  });

  it.each([
    ["a/.claude/settings.json", "mkdir -p a/.claude; echo bad > a/.claude/settings.json"],
    ["a/.claude/hooks/x/y", "mkdir -p a/.claude/hooks/x; echo bad > a/.claude/hooks/x/y"],
    ["a/b/c/.mcp.json", "mkdir -p a/b/c; echo bad > a/b/c/.mcp.json"],
    ["a/.claude", "mkdir -p a evil; echo bad > evil/settings.json; ln -s ../evil a/.claude"],
    ["a/.github/copilot/settings.json", "mkdir -p a/.github/copilot; echo bad > a/.github/copilot/settings.json"],
    ["a/.git", "git init -q a; echo bad > a/.git/hooks/pre-commit"],
    ["a/.git", "git init -q a; git -C a config core.fsmonitor /bad"],
    ["a/.git", "git init -q a; printf '[include]\\n\\tpath = /bad\\n' >> a/.git/config"],
    ["a/.git", "mkdir a; echo 'gitdir: ../evil' > a/.git"],
    ["known/.git/config.worktree", "echo bad > known/.git/config.worktree"],
    ["known/.git/commondir", "echo ../evil > known/.git/commondir"],
    ["known/.git/commondir", "mv known a; mkdir known; echo ../evil > a/.git/commondir", "a/.git/commondir"],
    ["known/.claude/settings.json", "mv known a; mkdir -p known/.claude; echo bad > known/.claude/settings.json"],
    ["a/.mcp.json", "mkdir a; echo bad > a/.mcp.json; chmod 555 a"],
    ["a/.mcp.json", "mkdir a; echo bad > a/.mcp.json; chmod 111 a"],
  ])("that appear are put aside: %s by %s", async (file, command, at = file) => {
    const held = openHeld();
    execFileSync("git", ["init", "-q", held.at("known")]);
    write(held, "known/.claude/settings.json");
    const { text, result } = await held.shell(`${command}; echo over`);
    expect(result.output).toBe("over\n");
    expect(text).toContain(`The command changed ${at}, which commands must not change. That was undone`);
    expect(lstatSync(held.at(at), { throwIfNoEntry: false })).toBeUndefined();
    expect(lstatSync(held.at(`${at}.undone`))).toBeDefined();
  });

  it("may lie beside others that a command makes, and a repository that runs nothing stays", async () => {
    const held = openHeld();
    const { result } = await held.shell(
      "mkdir -p a/.claude a/.vscode node_modules/x/.vscode; echo x > a/.claude/notes.md; echo x > a/.vscode/extensions.json; echo x > node_modules/x/.vscode/settings.json; git init -q b; cd b; git -c user.name=n -c user.email=e commit -q --allow-empty -m one; git clone -q . ../c && echo over",
    );
    expect(result).toMatchObject({ output: expect.stringContaining("over"), summary: "exit 0" });
    expect(existsSync(held.at("c/.git/config"))).toBe(true);
    expect((await held.shell("rm -rf node_modules; git -C b log --format=%s")).result.output).toBe("one\n");
  });

  it("that are links are made anew, but never through a link to somewhere else", async () => {
    const held = openHeld();
    mkdirSync(held.at("agents"));
    for (const folder of ["a", "b/c"]) {
      mkdirSync(held.at(folder), { recursive: true });
      symlinkSync(path.relative(held.at(folder), held.at("agents")), held.at(`${folder}/.claude`));
    }
    mkdirSync(held.inPlace("outside/c/.claude"), { recursive: true });
    const { text } = await held.shell(
      `rm a/.claude; mkdir a/.claude; echo bad > a/.claude/settings.json; echo bad > agents/settings.json; mv b old; ln -s ${held.inPlace("outside")} b`,
    );
    expect(text).toContain("The command changed a/.claude, old/c/.claude, which");
    expect(readlinkSync(held.at("a/.claude"))).toBe("../agents");
    expect(readdirSync(held.at("agents"))).toEqual([]);
    expect(lstatSync(held.inPlace("outside/c/.claude")).isDirectory()).toBe(true);
  });

  it("includes the folder from which a repository takes its hooks", async () => {
    const held = openHeld();
    execFileSync("git", ["init", "-q", held.root]);
    execFileSync("git", ["-C", held.root, "config", "core.hooksPath", ".husky/_"]);
    write(held, ".husky/pre-commit", "npm test\n");
    mkdirSync(held.at(".husky/_"));
    const { result } = await held.shell(
      "echo bad > .husky/pre-commit; echo bad > .husky/_/pre-push; mv .husky x; echo over",
    );
    expect(result.output).toContain("over");
    expect(read(held, ".husky/pre-commit")).toBe("npm test\n");
    expect(readdirSync(held.at(".husky/_"))).toEqual([]);
  });

  it("are protected in a large workspace as far as the limits go, and that is said", () => {
    const held = openHeld();
    for (const name of ["a", "b", "c"]) write(held, `${name}/.claude/settings.json`);
    const root = realpathSync(held.root);
    expect(createNested(root, [])).not.toHaveProperty("weakness");
    for (const limits of [{ maxFolders: 3 }, { maxMounts: 2 }]) {
      const nested = createNested(root, [], limits);
      expect(nested.weakness).toMatch(/so large that .* not all protected/);
      expect(nested.protect().masks).toHaveLength(2);
    }
  });

  it("in a folder that the user closed are left alone", async () => {
    const held = openHeld();
    mkdirSync(held.at("closed"));
    chmodSync(held.at("closed"), 0);
    await held.shell("true");
    const { mode } = lstatSync(held.at("closed"));
    chmodSync(held.at("closed"), 0o700);
    expect(mode & 0o777).toBe(0);
  });
});
