import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendGolden } from "../../../testing/cli/logs.ts";
import { bin, createPlace } from "../../../testing/cli/process.ts";
import { openLogSync } from "../../log/open.ts";

const place = createPlace("completion");
let run = "";
afterAll(() => place.remove());
beforeAll(async () => {
  const log = openLogSync({ directory: place.data });
  run = (await appendGolden(log, "success")).slice(-6);
  await log.close();
  // The shells call `spoor` by its name.
  const folder = path.join(place.home, "bin");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "spoor"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(path.join(folder, "spoor"), 0o755);
});

const complete = async (...words: string[]): Promise<string[]> =>
  (await place.spoor(["complete", "--", ...words])).stdout.replace(/\n$/, "").split("\n");

describe("spoor complete", { timeout: 60_000 }, () => {
  it("knows commands, flags, values, agents, and runs by the end of their ids with their titles", async () => {
    expect(await complete("appr")).toEqual([
      "approvals\tlist what waits for permission",
      "approve\tallow an action that waits",
    ]);
    expect(await complete("task", "")).toContainEqual(expect.stringMatching(/^new\t/));
    expect((await complete("diff", "--st"))[0]).toMatch(/^--stat\t/);
    expect((await complete("run", "claude", "--approve", ""))[0]).toMatch(/^\w+\t$/);
    expect((await complete("tail", "--granularity=t"))[0]).toBe("--granularity=turn\t");
    expect((await complete("run", "cla"))[0]).toMatch(/^claude\tClaude Code/);
    expect(await complete("run", "claude", "--model", "")).toEqual([""]);
    expect((await complete("show", "--h"))[0]).toMatch(/^--help\t/);
    expect(await complete("show", "")).toEqual(["last\tthe newest run", `${run}\tclaude: Golden success`]);
    expect(await complete("ls", "--data", "/nowhere", "--before", "")).toEqual([""]);
  });
});

const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;
const env = () => ({
  ...process.env,
  HOME: place.home,
  SPOOR_HOME: place.data,
  PATH: `${path.join(place.home, "bin")}:${process.env.PATH}`,
});
const inShell = (shell: string, script: string): string =>
  spawnSync(shell, shell === "zsh" ? ["-fc", script] : ["-c", script], {
    env: env(),
    encoding: "utf8",
    cwd: place.home,
  }).stdout;

describe("completion in a real shell", { timeout: 60_000 }, () => {
  it.runIf(has("bash"))("works in bash", () => {
    const ask = (words: string) =>
      inShell(
        "bash",
        `source <(spoor completion bash); COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _spoor; printf '%s\\n' "\${COMPREPLY[@]}"`,
      );
    expect(ask("spoor unp")).toBe("unpause\n");
    expect(ask("spoor show ''")).toBe(`last\n${run}\n`);
    expect(ask("spoor replay --sp")).toBe("--speed\n");
    // Bash takes --granularity=t for three words, and replaces only the last one.
    expect(ask("spoor tail --granularity = t")).toBe("turn\n");
    expect(ask("spoor tail --output =")).toBe("all\nnone\n");
  });

  it.runIf(has("zsh"))("works in zsh", () => {
    // Completion needs a terminal of its own; what it offers is read where zsh would show it.
    const script = `autoload -Uz compinit; compinit -u -d ${place.home}/zcompdump
_describe() { print -rl -- "\${candidates[@]}"; }; _files() { print files; }
source <(spoor completion zsh); print "defined: $_comps[spoor]"
words=(spoor show ''); CURRENT=3; _spoor_now() { _spoor; }; _spoor_now
words=(spoor run claude --prompt-file ''); CURRENT=5; _spoor_now`;
    const shown = inShell("zsh", script);
    expect(shown).toContain("defined: _spoor\n");
    expect(shown).toContain(`${run}:claude: Golden success\n`);
    expect(shown).toMatch(/files\n$/);
  });

  it.runIf(has("fish"))("works in fish", () => {
    const ask = (line: string) => inShell("fish", `spoor completion fish | source; complete -C '${line}'`);
    expect(ask("spoor unp")).toMatch(/^unpause\t/);
    expect(ask("spoor show ")).toContain(`${run}\tclaude: Golden success\n`);
    expect(ask("spoor replay --sp")).toMatch(/^--speed\t/);
  });
});
