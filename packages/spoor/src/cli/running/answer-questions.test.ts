import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../main.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const acp = fileURLToPath(new URL("../../../testing/run/programs/acp-agent.mjs", import.meta.url));
const claude = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const home = mkdtempSync(path.join(tmpdir(), "spoor-questions-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  vi.stubEnv("SPOOR_HOME", home);
  // A person is at a terminal without colours.
  vi.stubEnv("NO_COLOR", "1");
  vi.stubEnv("CI", "");
});

const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
const toolCall = { toolCallId: "c1", title: "rm -rf dist", kind: "execute", rawInput: { command: "rm -rf dist" } };
/** Asks for permission and prints the answer. */
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

/** The end of the input: Ctrl-D. */
const END = "\u0004";

/** Runs the same command line in a terminal and answers each prompt with the next of these lines. */
async function atTerminal(argv: string[], ...lines: string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const output = { stdout: "", stderr: "" };
  const answer = (line: string) => (line === END ? stdin.end() : stdin.write(`${line}\n`));
  const stream = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _, done) {
        output[name] += chunk;
        // Keys count from half a second after a question was drawn.
        if (/› $/.test(`${chunk}`)) setTimeout(() => answer(lines.shift() ?? "n"), 600);
        done();
      },
    });
  const stderr = Object.assign(stream("stderr"), { isTTY: true, columns: 200 });
  const code = await main(argv, { stdin, stdout: stream("stdout"), stderr });
  return { code, ...output };
}

describe("a question of an agent under spoor run", { timeout: 120_000 }, () => {
  it.each([
    ["auto", "yes", []],
    ["yolo", "yes", []],
    ["deny", "no", []],
    ["auto", "yes", ["--json"]],
    ["deny", "no", ["--json"]],
  ])("is answered by --approve %s with %s %j, and the run completes", (mode, answer, flags) => {
    const { status, stdout, stderr } = spoor(...askingAcp, "--approve", mode, ...flags);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: flags.length ? "" : expect.stringMatching(/^✓ Done in .*\nRecorded as/),
    });
    expect(stdout.replaceAll("\\", "")).toContain(`"optionId":"${answer}"`);
    expect(spoor("events", "--run", "last", "--json").stdout).toContain('"type":"run.finished"');
  });

  it("is not shown to the person if --approve has answered it", async () => {
    const { code, stderr } = await atTerminal([...askingAcp, "--approve", "auto"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("y allow") });
  });

  it("is refused if nobody can be asked: the message names --approve and the exit code is 17", () => {
    for (const [flags, why] of [
      [[], "standard input is not a terminal"],
      [["--json"], "--json prints for programs"],
    ] as const) {
      const { status, stdout, stderr } = spoor(...askingClaude, ...flags);
      const reason = `Nobody can be asked: ${why}. --approve auto allows actions without asking.`;
      expect(status).toBe(17);
      expect(stderr).toContain(`1 question of the agent was refused. ${reason}`);
      expect(stdout).toContain(reason);
    }
  });

  it("is asked again until the answer is clear, and takes a reason", async () => {
    const { code, stdout, stderr } = await atTerminal(askingClaude, "maybe", "", "yn", "y");
    expect(stderr.split("y allow")).toHaveLength(5);
    expect(stderr).toMatch(/▲ May it run this command\? .*\n {4}rm -rf dist\n(y allow .*› ){4}allowed\n/);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("It is gone.") });
    const refused = await atTerminal(askingClaude, "r", "Too dangerous.");
    expect(refused).toMatchObject({ code: 0, stdout: expect.stringContaining("I left it.") });
    expect(spoor("events", "--run", "last", "--json", "--type", "approval.resolved").stdout).toContain(
      "Too dangerous.",
    );
  });

  it("is refused when the input ends without an answer", async () => {
    const { code, stdout } = await atTerminal(askingClaude, END);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("I left it.") });
  });

  const edit = {
    toolCallId: "c2",
    title: "notes.txt",
    kind: "edit",
    rawInput: {
      file_path: "notes.txt",
      old_string: "two",
      new_string: `three ${"ghp_"}${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`,
    },
  };
  const editing = [
    { update: { sessionUpdate: "tool_call", status: "pending", ...edit } },
    { ask: "session/request_permission", params: { toolCall: edit, options } },
    { update: { sessionUpdate: "tool_call_update", toolCallId: "c2", status: "completed" } },
  ];
  const askingToEdit = ["run", "acp", JSON.stringify(editing), "--command", `"${process.execPath}" "${acp}"`];

  it("shows the diff of an edit, and is stored with input and diff but without secrets", async () => {
    const { code, stderr } = await atTerminal(askingToEdit, "y");
    expect(code).toBe(0);
    expect(stderr).toMatch(/notes\.txt\n(.*\n)* {4}-two\n {4}\+three ghp_/);
    const stored = spoor("events", "--run", "last", "--json", "--type", "approval.requested").stdout;
    expect(JSON.parse(stored).data).toMatchObject({
      tool_call_id: "c2",
      input: { file_path: "notes.txt", old_string: "two", new_string: expect.stringMatching(/^three \[redacted:/) },
      diff: expect.stringMatching(/-two\n\+three \[redacted:/),
    });
    expect(stored).not.toContain("ghp_");
  });

  it("is shown with a limited number of lines, even for a large change", async () => {
    const large = { ...edit, rawInput: { ...edit.rawInput, new_string: "much more\n".repeat(100_000) } };
    const steps = JSON.stringify(
      editing.map((step) =>
        JSON.parse(JSON.stringify(step).replace(JSON.stringify(edit.rawInput), JSON.stringify(large.rawInput))),
      ),
    );
    const input = path.join(home, "large.json");
    writeFileSync(input, steps);
    const { code, stderr } = await atTerminal(["run", "acp", "--prompt-file", input, ...askingToEdit.slice(3)], "y");
    expect(code).toBe(0);
    expect(stderr.split("\n").length).toBeLessThan(100);
    expect(stderr.split("y allow")).toHaveLength(2);
    const stored = spoor("events", "--run", "last", "--json", "--type", "approval.requested").stdout;
    expect(stored.length).toBeLessThan(120_000);
    expect(JSON.parse(stored).data).toMatchObject({ truncated: true, detail: "notes.txt" });
  });
});
