import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = (name: string) => fileURLToPath(new URL(`../../../testing/cli/programs/${name}.mjs`, import.meta.url));
const [playing, failing, fakeClaude] = [program("print-file"), program("fail"), program("fake-claude")];
const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "spoor-failed-"));
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** Runs `spoor run` with this command as the agent. */
async function spoor(agent: string, command: string, options: readonly string[] = []) {
  const args = ["run", agent, "Go.", "--no-record", "--approve", "auto", "--command", command, ...options];
  const env = { ...process.env, SPOOR_HOME: folder, HOME: folder, CLAUDE_CONFIG_DIR: "" };
  const child = spawn(process.execPath, [bin, ...args], { env });
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** Runs `spoor run` with a program that prints the beginning of this file and exits with 0. */
const play = (agent: string, file: string, options: readonly string[] = [], bytes = Infinity) =>
  spoor(agent, `"${process.execPath}" "${playing}" "${file}" ${bytes} 0`, options);

describe("spoor run of an agent whose output is cut, and which exits with 0", () => {
  it.each([
    ["gemini", "gemini/0.61.0/shell_ok.jsonl", []],
    ["gemini", "gemini/0.61.0/plain_text.jsonl", []],
    ["claude", "claude/2.1.325/a-text.partial.jsonl", []],
    ["qwen", "qwen/0.24.4/plain_text.jsonl", []],
    ["opencode", "opencode/1.18.33/c_shell_ok.jsonl", ["--dialect", "run-json"]],
    ["hermes", "hermes/documented/tools.jsonl", []],
  ])("fails for %s, and is not reported as interrupted: %s", async (agent, recording, options) => {
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

  it("prints a message", async () => {
    const { code, stderr } = await play("gemini", join(fixtures, "gemini/0.61.0/plain_text.jsonl"), [], 900);
    expect(code).toBe(12);
    expect(stderr).toContain(
      "The agent's output was cut: its process exited with code 0 before it said that it was done.",
    );
  });
});

it("spoor run reports a failure if the agent says that it was interrupted but nobody interrupted it", async () => {
  const { code, stderr } = await play("claude", join(fixtures, "claude/2.1.325/l-sigint-midstream.partial.jsonl"));
  expect(code).toBe(12);
  expect(stderr).toContain("nobody interrupted this run");
});

describe("spoor run of an agent that reports a failure as a success", () => {
  it.each([
    ["qwen", "qwen/0.23.0/error_401_called_success.jsonl", 5],
    ["qwen", "qwen/0.23.0/error_context_called_success.jsonl", 15],
    ["qwen", "qwen/0.23.0/quoted_error.jsonl", 0],
  ])("%s: %s exits with %d", async (agent, recording, expected) => {
    expect((await play(agent, join(fixtures, recording))).code).toBe(expected);
  });

  it.each([
    ['API Error: 401 {"type":"error"} · Please run /login', 0, 5],
    ["Prompt is too long", 0, 15],
    ["API Error: 401 is what the log says.", 12, 0],
  ])(
    "claude: %s with %d tokens exits with another code than 0 unless the model wrote it",
    async (words, tokens, expected) => {
      const file = join(folder, "spoken.jsonl");
      const usage = { input_tokens: tokens, output_tokens: tokens };
      const content = [{ type: "text", text: words }];
      const frames = [
        { type: "system", subtype: "init", cwd: "/project", model: "m" },
        { type: "assistant", message: { id: "m1", role: "assistant", model: "m", content, usage } },
        { type: "result", subtype: "success", is_error: false, result: words, usage },
      ];
      writeFileSync(file, frames.map((frame) => `${JSON.stringify({ ...frame, session_id: "s" })}\n`).join(""));
      expect((await play("claude", file)).code).toBe(expected);
    },
  );
});

describe("spoor run of an agent that does not start exits with the same code for the same reason", () => {
  it.each([
    ["pi", "No session found matching 'x'", 1, 8],
    ["omp", 'Error: Session "x" not found.', 1, 8],
    ["qwen", 'No saved session found with title "x".', 1, 8],
    ["gemini", "Error resuming session: No previous sessions found for this project.", 42, 8],
    ["hermes", "Session not found: x", 1, 8],
    ["pi", 'Error: Model "x" not found. Use --list-models to see available models.', 1, 2],
    ["omp", 'Model "x" not found. Set an API key environment variable: ANTHROPIC_API_KEY', 1, 2],
    ["cursor", "Error: unknown model: x", 1, 2],
    ["pi", "No API key found for the selected model. Use /login to log into a provider.", 1, 5],
    ["qwen", "Missing API key for OpenAI-compatible auth.", 1, 5],
    ["cursor", "Error: Authentication required. Please run cursor-agent login.", 1, 5],
  ])("%s: %s", async (agent, words, exits, expected) => {
    const command = `"${process.execPath}" "${failing}" "${words.replaceAll('"', "'")}" ${exits}`;
    const { code, stderr } = await spoor(agent, command);
    expect({ code, stderr }).toEqual({
      code: expected,
      stderr: expect.stringContaining(words.slice(0, 10).replaceAll('"', "'")),
    });
  });
});

it("spoor run --resume shows how many turns the session had", async () => {
  const id = "5f2c1c1e-0000-4000-8000-000000000001";
  const project = join(folder, ".claude/projects/-home-user-project");
  mkdirSync(project, { recursive: true });
  const assistantMessage = (n: number) => ({
    type: "assistant",
    uuid: `a${n}`,
    message: { id: `m${n}`, role: "assistant", content: [] },
  });
  const lines = [
    { type: "user", uuid: "u1", message: { content: "Hi" } },
    assistantMessage(1),
    assistantMessage(2),
    assistantMessage(3),
  ];
  writeFileSync(join(project, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const command = `"${process.execPath}" "${fakeClaude}"`;
  const { code, stdout } = await spoor("claude", command, ["--resume", id, "--json"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/"prior_?turn_?count":3/i);
});
