import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../main.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const acp = fileURLToPath(new URL("../../mux/testing/programs/acp-agent.mjs", import.meta.url));
const claude = fileURLToPath(new URL("../testing/programs/fake-claude.mjs", import.meta.url));
const home = mkdtempSync(path.join(tmpdir(), "spoor-questions-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  vi.stubEnv("SPOOR_HOME", home);
});

const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
const toolCall = { toolCallId: "c1", title: "rm -rf dist", kind: "execute", rawInput: { command: "rm -rf dist" } };
/** Asks for permission, and says what it was answered. */
const steps = [
  { update: { sessionUpdate: "tool_call", status: "pending", ...toolCall } },
  { ask: "session/request_permission", params: { toolCall, options } },
  { update: { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" } },
  { report: true },
];
const askingAcp = ["run", "acp", JSON.stringify(steps), "--command", `"${process.execPath}" "${acp}"`];
const askingClaude = ["run", "claude", "run it", "--command", `"${process.execPath}" "${claude}"`];

const spoor = (...args: string[]) =>
  spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", input: "", cwd: home });

/** The same command line at a terminal, where somebody answers each prompt with the next of these lines. */
async function atTerminal(argv: string[], ...lines: string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const told = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _, done) {
        told[name] += chunk;
        if (/(\[y\/N\]|\(no\):|>) $/.test(`${chunk}`)) stdin.write(`${lines.shift() ?? "n"}\n`);
        done();
      },
    });
  const code = await main(argv, { stdin, stdout: stream("stdout"), stderr: stream("stderr") });
  return { code, ...told };
}

describe("a question of an agent under spoor run", { timeout: 120_000 }, () => {
  it.each([
    ["auto", "yes", []],
    ["yolo", "yes", []],
    ["deny", "no", []],
    ["auto", "yes", ["--json"]],
    ["deny", "no", ["--json"]],
  ])("is answered by --approve %s with %s %j, and the run ends well", (mode, answer, flags) => {
    const { status, stdout, stderr } = spoor(...askingAcp, "--approve", mode, ...flags);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: flags.length ? "" : expect.stringMatching(/^Recorded as/),
    });
    expect(stdout.replaceAll("\\", "")).toContain(`"optionId":"${answer}"`);
    expect(spoor("events", "--run", "last", "--json").stdout).toContain('"type":"run.finished"');
  });

  it("is not put to the person when the mode has answered it", async () => {
    const { code, stderr } = await atTerminal([...askingAcp, "--approve", "auto"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("Allow?") });
  });

  it("is refused where nobody can be asked, with the flag that changes it and a code of its own", () => {
    for (const [flags, why] of [
      [[], "standard input is no terminal"],
      [["--json"], "--json is for programs"],
    ] as const) {
      const { status, stdout, stderr } = spoor(...askingClaude, ...flags);
      const told = `Nobody can be asked: ${why}. --approve auto allows it without asking.`;
      expect(status).toBe(17);
      expect(stderr).toContain(`1 question of the agent was refused. ${told}`);
      expect(stdout).toContain(told);
    }
  });

  it("is asked again until the answer is clear", async () => {
    const { code, stdout, stderr } = await atTerminal(askingClaude, "maybe", "y");
    expect(stderr).toContain("Allow? [y/N] Please answer y (yes) or n (no): ");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("It is gone.") });
    const refused = await atTerminal(askingClaude, "");
    expect(refused).toMatchObject({ code: 0, stdout: expect.stringContaining("I left it.") });
  });
});
