import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands, createProgram } from "../packages/spoor/src/cli/program.ts";
import { bin, fakeClaude } from "../packages/spoor/testing/cli/process.ts";

const folder = mkdtempSync(path.join(tmpdir(), "spoor-runtime-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The lines of all shell blocks of a page, without their comments. */
function linesOf(page: string): string[] {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.split("\n")).map((line) => line.replace(/ +# .*$/, ""));
}

const commandsOf = (page: string): string[] => linesOf(page).filter((line) => /^(npx )?spoor /.test(line));

beforeAll(() => {
  mkdirSync(path.join(folder, "bin"));
  const script = (words: string) => `#!/bin/sh\nexec "${process.execPath}" ${words} "$@"\n`;
  writeFileSync(path.join(folder, "bin/spoor"), script(`"${bin}"`), { mode: 0o755 });
  writeFileSync(path.join(folder, "bin/claude"), script(`"${fakeClaude}"`), { mode: 0o755 });
  writeFileSync(path.join(folder, "bin/npm"), "#!/bin/sh\necho tested\n", { mode: 0o755 });
});

/** Runs a line of a page in a shell. `spoor` and `claude` on its PATH are this clone and the fake agent. */
async function run(line: string): Promise<string> {
  const PATH = [path.join(folder, "bin"), path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const env = { PATH, HOME: folder, SPOOR_HOME: path.join(folder, "data") };
  const options = { cwd: folder, env, timeout: 60_000 };
  const { stdout } = await promisify(execFile)("sh", ["-c", line.replace(/^npx /, "")], options);
  return stdout;
}

describe("docs/cli.md", () => {
  it("names every command", () => {
    const page = readFileSync(new URL("../docs/cli.md", import.meta.url), "utf8");
    const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
    const names = createProgram(io, commands).commands.map((command) => command.name());
    const isNamed = (name: string) => new RegExp(`^\\|.*\`${name}\\b`, "m").test(page);
    const forSpoor = ["execute", "demo-handbook", "complete"];
    expect(names.filter((name) => !forSpoor.includes(name) && !isNamed(name))).toEqual([]);
  });
});

describe("docs/patches.md", () => {
  it("shows commands that work", { timeout: 120_000 }, async () => {
    for (const name of ["fresh-worktree", "other-folder", "repository"]) await run(`git init -q ${name}`);
    const inside = (line: string) => run(`cd repository && ${line}`);
    await inside('spoor task new shell "mkdir src && echo a > src/a.ts && echo b > b.txt" --start && spoor tail last');
    const [patch = ""] = (await inside("spoor patches last --json")).match(/art_\w+/) ?? [];
    const sequence = (await inside("spoor events last --type run.finished --json")).match(/"sequence":(\d+)/)?.[1];
    const lines = commandsOf("patches.md").map((line) =>
      line.replace("art_01JX…", patch).replace("ckpt_01JX…", sequence ?? ""),
    );
    expect(lines.length).toBeGreaterThanOrEqual(11);
    // A run of a task applies its changes at once, so none is proposed.
    for (const line of lines) if (!/patch (apply|reject)/.test(line)) await inside(line);
    expect(await run("cat fresh-worktree/b.txt other-folder/b.txt")).toBe("b\nb\n");
    expect(await run("ls repository")).toBe("");
  });
});

describe("docs/tasks.md", () => {
  it("shows commands that work one after the other", { timeout: 120_000 }, async () => {
    const commands = commandsOf("tasks.md");
    expect(commands.length).toBeGreaterThanOrEqual(11);
    for (const command of commands) {
      const ended = await run(command).then(
        (stdout) => ({ stdout }),
        ({ stderr }: { stderr: string }) => ({ stderr }),
      );
      // The run before was followed to its end.
      if (command === "spoor cancel last") expect(ended).toEqual({ stderr: expect.stringContaining("is over") });
      else expect(ended, command).toEqual({ stdout: expect.stringMatching(/./) });
      // The next command needs a run that is over.
      if (/^spoor (start|retry|continue|fork) /.test(command)) await run("spoor tail last");
    }
  });
});

describe("docs/cost.md", () => {
  it("shows commands that work", { timeout: 120_000 }, async () => {
    const commands = commandsOf("cost.md");
    expect(commands.length).toBeGreaterThanOrEqual(5);
    await run('spoor run claude "This costs 0.25" --json');
    for (const command of commands) expect(await run(command), command).not.toBe("");
    expect(await run("spoor cost")).toContain("0.25");
  });
});
