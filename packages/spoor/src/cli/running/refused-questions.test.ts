import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../main.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const claude = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const home = mkdtempSync(path.join(tmpdir(), "spoor-deny-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  vi.stubEnv("SPOOR_HOME", home);
});

/** A program that asks for permission in Claude Code's dialect or in Qwen Code's, which begins with a greeting. */
const asking = (agent: string) => ["run", agent, "run it", "--command", `"${process.execPath}" "${claude}"`];

describe("under --approve deny", { timeout: 120_000 }, () => {
  it.each(["claude", "qwen"])("a question of %s is refused at once, and the run completes", (agent) => {
    const { status, stdout } = spawnSync(process.execPath, [bin, ...asking(agent), "--approve", "deny"], {
      encoding: "utf8",
      input: "",
      cwd: home,
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("I left it.") });
    expect(stdout).toContain("Nothing that needs permission is allowed in this run.");
  });

  it("the person at the terminal is not asked", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const output = { stdout: "", stderr: "" };
    const stream = (name: "stdout" | "stderr") =>
      new Writable({
        write(chunk, _, done) {
          output[name] += chunk;
          done();
        },
      });
    vi.stubEnv("NO_COLOR", "1");
    vi.stubEnv("CI", "");
    const stderr = Object.assign(stream("stderr"), { isTTY: true });
    const streams = { stdin, stdout: stream("stdout"), stderr };
    expect(await main([...asking("claude"), "--approve", "deny"], streams)).toBe(0);
    expect(output.stderr).not.toContain("y allow");
  });

  it.each(["amp", "openclaw"])("%s, which cannot be made to ask, is not started", (agent) => {
    const started = path.join(home, `${agent}-started`);
    const command = `"${process.execPath}" -e "require('fs').writeFileSync('${started}', '')"`;
    const args = ["run", agent, "Go.", "--approve", "deny", "--command", command];
    const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", input: "", cwd: home });
    expect({ status, stderr }).toEqual({
      status: 6,
      stderr: expect.stringContaining("cannot enforce `--approve deny`"),
    });
    expect(existsSync(started)).toBe(false);
  });
});
