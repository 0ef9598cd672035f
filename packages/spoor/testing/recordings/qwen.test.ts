import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { qwen } from "../../src/agents/qwen/index.ts";
import { describeRecordings, eventsOf } from "../run/recordings.ts";

describeRecordings(qwen);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(qwen, `qwen/0.24.4/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const texts = (events: readonly AgentEvent[]): string[] => all(events, "message_stop").map(({ text }) => text);

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);

const answer =
  "Hello there. This is a plain text answer that is streamed in a good number of small deltas, so that the consumer has something to concatenate.\n\nSecond paragraph with unicode: naïve café ✓ 日本語.";

describe("qwen in stream-json", () => {
  it.each(["plain_text", "plain_text_no_partial"])("reports the text and tokens of %s once", async (name) => {
    const events = await recorded(name);
    expect(texts(events)).toEqual([answer]);
    expect(
      all(events, "text_delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(answer);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 1200, outputTokens: 68 }]);
    expect(all(events, "turn_start")).toMatchObject([{ model: "mock-model" }]);
    expect(types(events)).not.toContain("cost");
  });

  it("reports thinking and text as one turn although each has its own message id", async () => {
    const events = await recorded("thinking_text");
    expect(all(events, "thinking_stop")).toMatchObject([{ thinking: "I should consider what the user wants. " }]);
    expect(texts(events)).toEqual(["The answer is forty-two."]);
    expect(all(events, "turn_start")).toHaveLength(1);
  });

  it("reports text and a call as one turn, the command's output and its end", async () => {
    const events = await recorded("shell_ok");
    expect(all(events, "turn_end").map(({ stopReason }) => stopReason)).toEqual(["tool_use", undefined]);
    expect(texts(events)).toEqual([
      "Let me look at the files.",
      "The project has a README, a package file and a src folder.",
    ]);
    expect(all(events, "shell_start")).toMatchObject([
      { command: 'printf "line one\\nline two\\nline three\\n"; ls', cwd: "/home/user/project" },
    ]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "line one\nline two\nline three\nREADME.md\npackage.json\nsrc",
    ]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
  });

  it("finds output and exit code in a command's report", async () => {
    const events = await recorded("shell_fail");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["to-stdout\nto-stderr"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(all(events, "tool_error")).toMatchObject([{ toolName: "run_shell_command", outcome: "failed" }]);
  });

  it("reports what was read, patched and made", async () => {
    const events = await recorded("files");
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/src/app.js" }]);
    expect(all(events, "file_patch")).toHaveLength(1);
    const changed = all(events, "file_patch")[0]?.diff.split("\n").slice(3);
    expect(changed).toEqual([
      '-  return "Hello, " + name;',
      expect.stringMatching(/^\+ {2}return `Hi, \$\{name\}!`;$/),
      "",
    ]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/new.js", byteCount: 26 }]);
    expect(all(await recorded("file_errors"), "tool_error").map(({ toolName }) => toolName)).toEqual([
      "read_file",
      "edit",
      "no_such_tool",
    ]);
  });

  it("reports MCP tools and todo lists by kind", async () => {
    const events = await recorded("mcp");
    expect(all(events, "mcp_tool_call_start")).toMatchObject([
      { server: "demo", toolName: "add", input: { a: 2, b: 3 } },
      { server: "demo", toolName: "fail", input: { reason: "because" } },
    ]);
    expect(all(events, "mcp_tool_result")).toMatchObject([{ output: "sum = 5" }]);
    expect(all(events, "mcp_tool_error")).toHaveLength(1);
    const kinds = all(await recorded("todo"), "tool_call_ready").map(({ toolKind }) => toolKind);
    expect(new Set(kinds)).toEqual(new Set(["todo_write"]));
  });

  it("reports a subagent as a run of its own", async () => {
    const events = await recorded("subagent");
    const [spawn] = all(events, "subagent_spawn");
    expect(spawn).toMatchObject({ subagentId: "call_agent_24", agentName: "general-purpose", prompt: "Find greet" });
    const child = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(all(child, "shell_start")).toMatchObject([{ command: "grep -rn greet src" }]);
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "greet is in src/app.js" }]);
  });

  it("waits for a subagent in the background", async () => {
    const events = await recorded("subagent_background");
    expect(types(events).indexOf("subagent_result")).toBeGreaterThan(types(events).indexOf("turn_end"));
    expect(texts(events)).toEqual(["Waiting.", "All done."]);
    expect(all(events, "turn_start")).toHaveLength(3);
  });

  it("infers an answer to a permission request from the call's result", async () => {
    const allowed = await recorded("permission_control_allow");
    expect(all(allowed, "approval_request")).toMatchObject([{ detail: "touch created.txt" }]);
    expect(all(allowed, "approval_granted")).toHaveLength(1);
    expect(all(allowed, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    expect(types(allowed)).not.toContain("shell_stdout_delta");
    const denied = await recorded("permission_control_deny");
    expect(all(denied, "approval_denied")).toHaveLength(1);
    expect(types(denied)).not.toContain("shell_start");
    const unasked = await recorded("permission_headless_default");
    expect(types(unasked)).not.toContain("approval_request");
    expect(all(unasked, "approval_denied")[0]?.reason).toContain("permission was declined");
  });

  it("reports an error that comes as text as a failure", async () => {
    const events = await recorded("error_401");
    expect(all(events, "auth_error")).toMatchObject([
      {
        message: "[API Error: 401 Incorrect API key provided.]",
        guidance: expect.stringMatching(/\/auth.*OPENAI_API_KEY/),
      },
    ]);
    expect(types(events)).not.toContain("message_start");
  });

  it("is interrupted, and reports the next prompt in a run of its own", async () => {
    const events = await recorded("interrupt_control");
    const [first, second] = all(events, "session_start");
    expect(all(events, "interrupted")).toMatchObject([{ runId: first?.runId }]);
    expect(second).toMatchObject({ sessionId: first?.sessionId, resumed: true });
    expect(texts(events)).toEqual(["one two three four five", "Fresh."]);
  });

  it("reports several prompts in one run, and the tokens of each call", async () => {
    const events = await recorded("multi_turn_stdin");
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2 }]);
    expect(all(events, "token_usage").map(({ outputTokens }) => outputTokens)).toEqual([8, 4]);
  });

  it("reports a turn limit by its exit code alone", async () => {
    const events = await recorded("max_turns");
    expect(all(events, "turn_limit")).toHaveLength(1);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2 }]);
  });
});

describe("an error that qwen reports as a message of the model, and as a success", () => {
  const read = (name: string) => eventsOf(qwen, `qwen/0.23.0/${name}.jsonl`);

  it("is a failure", async () => {
    const refused = await read("error_401_called_success");
    expect(texts(refused)).toEqual([]);
    expect(refused.at(-2)).toMatchObject({ type: "auth_error", message: "[API Error: 401 invalid api key]" });
    const tooLong = await read("error_context_called_success");
    expect(texts(tooLong)).toEqual([]);
    expect(tooLong.at(-2)).toMatchObject({ type: "context_exceeded" });
  });

  it("is a message if the model wrote it", async () => {
    const quoted = await read("quoted_error");
    expect(texts(quoted)).toEqual(["[API Error: 401 invalid api key]"]);
    expect(quoted.at(-1)).toMatchObject({ type: "session_end" });
    expect(types(quoted)).not.toContain("auth_error");
  });
});
