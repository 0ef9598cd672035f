import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../testing/programs/play.mjs", import.meta.url));
const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "spoor-failed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Has `spoor run` start a program that prints this much of the file as the agent would, and exits with 0. */
async function play(agent: string, file: string, options: readonly string[] = [], bytes = Infinity) {
  const command = `"${process.execPath}" "${program}" "${file}" ${bytes} 0`;
  const args = ["run", agent, "Go.", "--no-record", "--approve", "auto", "--command", command, ...options];
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, SPOOR_HOME: folder } });
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

describe("spoor run of an agent whose output is cut, and which exits with 0", () => {
  it.each([
    ["gemini", "gemini/0.61.0/shell_ok.jsonl", []],
    ["gemini", "gemini/0.61.0/plain_text.jsonl", []],
    ["claude", "claude/2.1.325/a-text.partial.jsonl", []],
    ["qwen", "qwen/0.24.4/plain_text.jsonl", []],
    ["opencode", "opencode/1.18.33/c_shell_ok.jsonl", ["--dialect", "run-json"]],
    ["hermes", "hermes/documented/tools.jsonl", []],
  ])("fails for %s, and is not told as interrupted: %s", async (agent, recording, options) => {
    const file = join(fixtures, recording);
    const lastLine = readFileSync(file).toString("latin1").trimEnd().lastIndexOf("\n") + 1;
    for (const bytes of [lastLine, lastLine + 40]) {
      const { code, stdout } = await play(agent, file, ["--json", ...options], bytes);
      expect(stdout).not.toContain("interrupted");
      expect(stdout).toContain("crash");
      expect(code).toBe(12);
    }
    expect((await play(agent, file, options)).code).toBe(0);
  });

  it("says so in a sentence", async () => {
    const { code, stderr } = await play("gemini", join(fixtures, "gemini/0.61.0/plain_text.jsonl"), [], 900);
    expect(code).toBe(12);
    expect(stderr).toContain(
      "The agent's output was cut: the agent exited with code 0 before it said that it was done.",
    );
  });
});

it("spoor run tells an agent that says it was interrupted as failed, where nobody interrupted it", async () => {
  const { code, stderr } = await play("claude", join(fixtures, "claude/2.1.325/l-sigint-midstream.partial.jsonl"));
  expect(code).toBe(12);
  expect(stderr).toContain("nobody interrupted this run");
});
