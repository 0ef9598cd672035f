import { readFileSync } from "node:fs";
import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { gemini } from "../../src/agents/gemini/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines, recordingsOf } from "../run/recordings.ts";

describeRecordings(gemini);

const read = (name: string) => eventsOf(gemini, `gemini/0.61.0/${name}.jsonl`);

function all<T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] {
  return events.filter((event): event is AgentEventOf<T> => event.type === type);
}

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const text = (events: readonly AgentEvent[]) => all(events, "message_stop").map((event) => event.text);
const tools = (events: readonly AgentEvent[]) =>
  all(events, "tool_call_ready").map(({ toolName, toolKind }) => `${toolName} ${toolKind}`);

describe("Gemini's dialects", () => {
  it("are distinguished by their first lines", () => {
    for (const recording of recordingsOf("gemini").filter((name) => !name.endsWith("no_prompt.jsonl"))) {
      const file = new URL(`../../fixtures/${recording}`, import.meta.url);
      const lines = readFileSync(file, "utf8").split("\n");
      const name = recording.endsWith(".acp.jsonl") ? "acp" : "stream-json";
      expect(chooseDialect(gemini, lines.slice(0, 40)).name, recording).toBe(name);
      expect(chooseDialect(gemini, lines.slice(1, 41)).name, recording).toBe(name);
    }
  });
});

describe("Gemini's stream-json", () => {
  it("reports the answer, never the prompt", async () => {
    const events = await read("thinking_text");
    expect(text(events)).toEqual(["The answer is forty-two."]);
    expect(all(events, "turn_start")).toMatchObject([{ model: "gemini-2.5-pro" }]);
    // The total is 1253: tokens in neither input nor output are thinking tokens.
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 1200, outputTokens: 16, thinkingTokens: 37 }]);
  });

  it("reports tools, files and a turn for each model call", async () => {
    const events = await read("files");
    expect(tools(events)).toEqual(["read_file file_read", "replace edit", "write_file file_write"]);
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/src/app.js" }]);
    expect(all(events, "file_patch")).toMatchObject([
      { path: "/home/user/project/src/app.js", diff: expect.stringContaining('-  return "Hello, " + name;') },
    ]);
    expect(all(events, "file_write")).toMatchObject([{ path: "/home/user/project/src/new.js", byteCount: 26 }]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 4 }]);
    expect(text(events)).toEqual(["Read, edited and created files."]);
  });

  it("counts parallel tools into one turn", async () => {
    const events = await read("parallel_tools");
    expect(tools(events)).toEqual(["read_file file_read", "run_shell_command shell"]);
    expect(all(events, "turn_start")).toHaveLength(2);
    expect(all(events, "shell_stdout_delta")).toMatchObject([{ delta: "parallel-shell" }]);
  });

  it("reports MCP tools, to-do lists and subagents", async () => {
    const mcp = await read("mcp");
    expect(all(mcp, "mcp_tool_call_start")).toMatchObject([
      { server: "demo", toolName: "add", input: { a: 2, b: 3 } },
      { server: "demo", toolName: "fail", input: { reason: "because" } },
    ]);
    expect(all(mcp, "mcp_tool_result")).toMatchObject([{ output: "sum = 5" }]);
    expect(all(mcp, "mcp_tool_error")).toMatchObject([{ error: expect.stringContaining("demo failure: because") }]);
    expect(tools(await read("todo"))).toEqual(["write_todos todo_write", "write_todos todo_write"]);
    const subagent = await read("skill_subagent");
    expect(all(subagent, "subagent_spawn")).toMatchObject([
      { agentName: "codebase_investigator", prompt: "find greet" },
    ]);
    expect(all(subagent, "subagent_result")).toHaveLength(1);
  });

  it("reports a tool that was removed as a refusal", async () => {
    for (const name of ["permission_headless_default", "permission_auto_edit"]) {
      const events = await read(name);
      expect(all(events, "approval_denied"), name).toHaveLength(1);
      expect(all(events, "tool_error"), name).toMatchObject([{ toolName: "run_shell_command", outcome: "blocked" }]);
      expect(types(events), name).not.toContain("shell_start");
    }
    expect(all(await read("file_errors"), "tool_error").map(({ outcome }) => outcome)).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
  });

  it.each([
    ["error_400_key", { type: "auth_error", guidance: expect.stringContaining("GEMINI_API_KEY") }],
    ["error_429_quota", { type: "rate_limit_error" }],
    ["error_503_overloaded", { type: "error", recoverable: false, message: expect.stringContaining("overloaded") }],
    ["error_context", { type: "context_exceeded", usedTokens: 1_200_000, maxTokens: 1_048_576 }],
    ["max_turns", { type: "turn_limit" }],
    ["no_prompt", { type: "error", code: "VALIDATION_ERROR", recoverable: false }],
    // Reported as a success, without an answer after the tool's result.
    ["context_overflow", { type: "context_exceeded", usedTokens: 1_047_000 }],
    // If a signal stops it, it exits with 0 and prints no last line.
    ["interrupt_sigint_group", { type: "interrupted" }],
    ["interrupt_in_tool_norelaunch", { type: "interrupted" }],
  ])("%s ends the run with the right failure", async (name, expected) => {
    const events = await read(name);
    expect(events.filter(({ type }) => type !== "debug").slice(-2)).toMatchObject([expected, { type: "session_end" }]);
  });

  it("continues if Gemini ignores a signal", async () => {
    const events = await read("interrupt_sigint");
    expect(text(events)).toEqual(["one two three four fivesix"]);
    expect(types(events)).not.toContain("interrupted");
  });

  it("reads the exit code if nothing was printed", async () => {
    const ends = await Promise.all(
      [41, 53, 130, 173, 1].map(async (code) => types(await eventsOfLines(gemini, [], { code, signal: null })).at(-2)),
    );
    expect(ends).toEqual(["auth_error", "turn_limit", "interrupted", "rate_limit_error", "crash"]);
  });

  it.each(gemini.dialects)("reads retries from standard error in $name", ({ createMachine }) => {
    const machine = createMachine();
    const signals = [
      "Attempt 1 failed: Resource has been exhausted (e.g. check quota).",
      "Suggested retry after 1s.. Retrying after 5588ms...",
    ].flatMap((line) => machine.stderr?.(line) ?? []);
    expect(signals.filter(({ kind }) => kind === "fact")).toMatchObject([
      { fact: { type: "rate_limited", retryAfterMs: 5588 } },
      { fact: { type: "retry", attempt: 1, delayMs: 5588, reason: expect.stringContaining("exhausted") } },
    ]);
  });
});

describe("Gemini over ACP", () => {
  it("names tools although it sends only titles", async () => {
    expect(tools(await read("files_no_fs_cap.acp"))).toEqual([
      "read_file file_read",
      "replace edit",
      "write_file file_write",
    ]);
    expect(tools(await read("todo.acp"))).toEqual(["write_todos todo_write", "write_todos todo_write"]);
  });

  it("reports questions, answers and file changes", async () => {
    const events = await read("files_no_fs_cap.acp");
    expect(all(events, "approval_request").map(({ toolName }) => toolName)).toEqual(["replace", "write_file"]);
    expect(all(events, "approval_granted")).toHaveLength(2);
    expect(all(events, "file_patch")).toMatchObject([{ path: "/home/user/project/src/app.js" }]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/new.js", byteCount: 26 }]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 4800, outputTokens: 24 }]);
  });

  it("opens a call with its question, and closes it if only the refusal follows", async () => {
    const events = await read("shell_denied.acp");
    expect(all(events, "approval_request")).toMatchObject([{ action: "shell", detail: "touch x", riskLevel: "high" }]);
    expect(all(events, "tool_call_ready")).toMatchObject([{ input: { command: "touch x" } }]);
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(all(events, "tool_error")).toMatchObject([{ toolName: "run_shell_command", outcome: "cancelled" }]);
    expect(types(events)).not.toContain("shell_start");
    expect(text(events)).toEqual(["You declined."]);
    expect(all(events, "turn_start")).toHaveLength(2);
  });

  it("splits MCP titles, and reads the input from the question", async () => {
    expect(all(await read("mcp.acp"), "mcp_tool_call_start")).toMatchObject([
      { server: "demo", toolName: "add", input: { a: 2, b: 3 } },
      { server: "demo", toolName: "fail", input: { reason: "because" } },
    ]);
  });

  it("keeps the calls of one model call in one turn although they run one after the other", async () => {
    const events = await read("parallel_tools.acp");
    expect(tools(events)).toEqual(["read_file file_read", "run_shell_command shell"]);
    expect(all(events, "turn_start")).toHaveLength(2);
  });

  it("separates thoughts and drops text that is not the model's", async () => {
    expect(all(await read("thinking_text.acp"), "thinking_stop").map(({ thinking }) => thinking)).toEqual([
      "**Weighing the options**\nI should consider what the user wants.",
      "**Checking details**\nThe answer is simple.",
    ]);
    expect(text(await read("shell_fail.acp"))).toEqual(["The command failed with exit code 3."]);
  });

  it("reports a cancelled command with its output", async () => {
    const events = await read("cancel_in_tool.acp");
    expect(all(events, "shell_stdout_delta")).toMatchObject([{ delta: "begin" }]);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "cancelled" }]);
    expect(types(events).slice(-2)).toEqual(["interrupted", "session_end"]);
  });

  it("does not report a loaded session's history, before or after the response", async () => {
    const events = await read("load_session_next_minute.acp");
    expect(text(events)).toEqual(["Looking.", "Done first.", "Second answer."]);
    expect(all(events, "tool_call_start")).toHaveLength(1);
  });

  it("reports several prompts in one run", async () => {
    const events = await read("two_turns.acp");
    expect(text(events)).toEqual(["First.", "Second."]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2 }]);
  });
});
