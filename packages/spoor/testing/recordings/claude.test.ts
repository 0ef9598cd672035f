import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { claude } from "../../src/agents/claude/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines, violationsOf } from "../run/recordings.ts";

describeRecordings(claude);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(claude, `claude/2.1.325/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const texts = (events: readonly AgentEvent[]): string[] => all(events, "message_stop").map(({ text }) => text);

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);

const lines = (...frames: object[]): string[] => frames.map((frame) => JSON.stringify(frame));

/** The events of a subagent's run, by the id of the run that spawned it. */
function childrenOf(events: readonly AgentEvent[]): AgentEvent[][] {
  const ids = all(events, "subagent_spawn").map(({ childRunId }) => childRunId);
  return ids.map((id) => events.filter(({ runId }) => runId === id));
}

const mainOf = (events: readonly AgentEvent[]): AgentEvent[] =>
  events.filter(({ runId }) => runId === events[0]?.runId);

const answer =
  "Hello! This is a plain answer that is streamed in many small deltas, one after another, so that the normaliser has something to chew on. Unicode: é ü 漢字 🚀 done.";

describe("claude's messages", () => {
  it("report the session, what it loaded, one message and the cost", async () => {
    const events = await recorded("a-text");
    expect(all(events, "session_start")).toMatchObject([
      { sessionId: "7f538ca7-e3b8-45f7-8156-7bfc086dc2fa", resumed: false },
    ]);
    expect(all(events, "plugin_loaded").map(({ pluginId }) => pluginId)).toEqual([
      "cc-plugin-agents-md@builtin",
      "cc-plugin-privacy@builtin",
      "cc-plugin-plugin-authoring@builtin",
    ]);
    expect(all(events, "skill_loaded")).toHaveLength(16);
    expect(all(events, "turn_start")).toMatchObject([{ model: "claude-opus-5-5" }]);
    expect(texts(events)).toEqual([answer]);
    expect(all(events, "turn_end")).toMatchObject([{ stopReason: "end_turn" }]);
    expect(all(events, "session_end")).toMatchObject([
      {
        turnCount: 1,
        cost: {
          totalUsd: 0.0014,
          inputTokens: 420,
          outputTokens: 42,
          cachedTokens: 300,
          cacheWriteTokens: 20,
          source: "agent_reported",
        },
      },
    ]);
  });

  it("report streamed pieces once, and the tokens of the call", async () => {
    const events = await recorded("a-text.partial");
    const deltas = all(events, "text_delta");
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.map(({ delta }) => delta).join("")).toBe(answer);
    expect(texts(events)).toEqual([answer]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 420, outputTokens: 42, cachedTokens: 300 }]);
  });

  it("report thinking, text and a call of one message as one turn", async () => {
    const events = await recorded("b2-thinking-interleaved-tool.partial");
    expect(all(events, "thinking_stop").map(({ thinking }) => thinking)).toEqual([
      "I should list files first.",
      "Now I know the files.",
    ]);
    expect(texts(events)).toEqual(["Listing files.", "There are files."]);
    expect(all(events, "turn_start")).toHaveLength(2);
    expect(all(events, "step_start").map(({ stepType }) => stepType)).toEqual([
      "thinking",
      "generation",
      "tool_use",
      "thinking",
      "generation",
    ]);
    expect(all(events, "tool_input_delta").at(-1)?.inputAccumulated).toBe('{"command":"ls","description":"Run: ls"}');
    expect(all(events, "turn_end").map(({ stopReason }) => stopReason)).toEqual(["tool_use", "end_turn"]);
  });

  it("report text before and after a cut of the stream", async () => {
    const events = await recorded("k6-sse-overloaded-midstream.partial");
    expect(texts(events)).toEqual(["Partial text before", "Full text after retry."]);
    expect(all(events, "turn_start")).toHaveLength(2);
  });

  it("take the answer from a result without other frames", async () => {
    const events = await recorded("y-output-json");
    expect(texts(events)).toEqual(["Hello."]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 1, cost: { totalUsd: 0.0014 } }]);
  });
});

describe("claude's tools", () => {
  it("report a command, its output and its success", async () => {
    const events = await recorded("c-shell-ok");
    const command = 'printf "line one\\nline two\\nline three\\n"; echo "to stderr" >&2';
    expect(all(events, "tool_call_ready")).toMatchObject([
      { toolCallId: "toolu_mock00000002", toolName: "Bash", toolKind: "shell", input: { command } },
    ]);
    expect(all(events, "shell_start")).toMatchObject([{ command, cwd: "/home/user/project" }]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "line one\nline two\nline three\nto stderr",
    ]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0, toolCallId: "toolu_mock00000002" }]);
    expect(all(events, "tool_result")).toMatchObject([{ output: "line one\nline two\nline three\nto stderr" }]);
  });

  it("report the exit code of a command that failed", async () => {
    const events = await recorded("d-shell-fail");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "partial output\nboom: no such thing",
    ]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(all(events, "tool_error")).toMatchObject([{ toolName: "Bash", outcome: "failed" }]);
  });

  it.each(["e-files", "e-files.partial"])("report what %s read, patched, made, wrote and deleted", async (name) => {
    const events = await recorded(name);
    expect(all(events, "file_read").map(({ path }) => path)).toEqual(["/home/user/project/src/calc.js"]);
    expect(all(events, "file_patch")).toMatchObject([
      {
        path: "/home/user/project/src/calc.js",
        diff: [
          "--- a/home/user/project/src/calc.js",
          "+++ b/home/user/project/src/calc.js",
          "@@ -1,5 +1,5 @@",
          " export function add(a, b) {",
          "-  return a - b;",
          "+  return a + b;",
          " }",
          " ",
          " export function mul(a, b) {",
          "",
        ].join("\n"),
      },
    ]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/calc.test.js", byteCount: 97 }]);
    expect(all(events, "file_write")).toMatchObject([{ path: "/home/user/project/notes.txt", byteCount: 28 }]);
    expect(all(events, "file_delete")).toMatchObject([{ path: "/home/user/project/notes.txt" }]);
    expect(all(events, "tool_error").map(({ error }) => error)).toEqual([
      "File does not exist. Note: your current working directory is /home/user/project.",
    ]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 7, cost: { totalUsd: 0.0098, outputTokens: 294 } }]);
  });

  it("belong to one turn if they run in parallel", async () => {
    const events = await recorded("f-parallel.partial");
    expect(all(events, "turn_start")).toHaveLength(2);
    const ready = events.filter(({ type }) => type === "tool_call_ready");
    expect(ready.length).toBeGreaterThan(1);
    expect(types(events).lastIndexOf("tool_call_ready")).toBeLessThan(types(events).indexOf("turn_end"));
  });

  it("report MCP tools with their server", async () => {
    const events = await recorded("g-mcp");
    expect(all(events, "mcp_tool_call_start")).toMatchObject([
      { server: "demo", toolName: "echo", input: { text: "hi there" } },
      { server: "demo", toolName: "fail", input: { reason: "testing" } },
    ]);
    expect(all(events, "mcp_tool_result")).toMatchObject([{ output: [{ type: "text", text: "echo: hi there" }] }]);
    expect(all(events, "mcp_tool_error")).toMatchObject([{ toolName: "fail", error: "demo failure: testing" }]);
    expect(types(events)).not.toContain("tool_call_start");
  });

  it("report an MCP server that did not start as a recoverable error", async () => {
    const events = await recorded("g2-mcp-server-broken");
    expect(all(events, "error")).toMatchObject([
      { recoverable: true, message: 'The MCP server "broken" did not start.' },
    ]);
    expect(texts(events)).toEqual(["hi"]);
  });

  it("write to-do lists", async () => {
    const events = await recorded("j2-tasks");
    expect(all(events, "tool_call_ready").map(({ toolName, toolKind }) => [toolName, toolKind])).toEqual([
      ["TaskCreate", "todo_write"],
      ["TaskUpdate", "todo_write"],
      ["TaskUpdate", "todo_write"],
    ]);
  });

  it("fail if the input is invalid, and run no command", async () => {
    const events = await recorded("k14-unknown-tool-and-bad-input");
    expect(all(events, "tool_error").map(({ toolName }) => toolName)).toEqual(["NoSuchTool", "Bash", "Bash"]);
    expect(all(events, "tool_error")[0]?.error).toBe("No such tool available: NoSuchTool");
    expect(types(events)).not.toContain("shell_start");
    expect(texts(events)).toEqual(["Recovered from bad tool calls."]);
  });

  it("search the web and look at images", async () => {
    expect(all(await recorded("q2-websearch.partial"), "tool_call_ready")).toMatchObject([
      { toolName: "WebSearch", toolKind: "web_search", input: { query: "mock query" } },
    ]);
    expect(all(await recorded("p2-image-read"), "file_read")).toMatchObject([{ path: "/home/user/project/pic.png" }]);
  });

  it("end the shell of a background command without an exit code, and wake the agent later", async () => {
    const events = await recorded("x-bash-background-and-progress.partial");
    expect(all(events, "shell_exit").map(({ exitCode }) => exitCode)).toEqual([0, -1]);
    expect(texts(events)).toEqual(["Started a background command.", "The background command finished."]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 4, cost: { totalUsd: 0.0056 } }]);
    expect(all(await recorded("x2-bash-timeout"), "shell_exit")).toMatchObject([{ exitCode: -1 }]);
  });
});

describe("permission in claude", () => {
  it("is asked for, refused with a reason, and nothing runs", async () => {
    const events = await recorded("h2-permission-denied.io");
    expect(all(events, "approval_request")).toMatchObject([
      { action: "Bash", detail: "touch made.txt", riskLevel: "high", toolCallId: "toolu_mock00000007" },
    ]);
    expect(all(events, "approval_denied")).toMatchObject([
      { interactionId: all(events, "approval_request")[0]?.interactionId, reason: "User said no" },
    ]);
    expect(all(events, "tool_error")).toMatchObject([{ error: "User said no", outcome: "cancelled" }]);
    expect(types(events)).not.toContain("shell_start");
  });

  it("is inferred from the call's result if the answer was not recorded", async () => {
    const events = await recorded("h2-permission-denied");
    expect(all(events, "approval_request")).toHaveLength(1);
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(types(events)).not.toContain("shell_start");
  });

  it("is granted to one call after the other, and each then runs", async () => {
    const events = await recorded("h6-permission-parallel.io");
    expect(all(events, "approval_request").map(({ detail }) => detail)).toEqual(["touch p1", "touch p2"]);
    expect(all(events, "approval_granted")).toHaveLength(2);
    expect(all(events, "shell_exit").map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(all(events, "turn_start")).toHaveLength(2);
  });

  it("ends the run if it is refused with an interrupt", async () => {
    const events = await recorded("h3-permission-denied-interrupt.io");
    expect(all(events, "approval_denied")).toMatchObject([{ reason: "Stop everything" }]);
    expect(types(events).slice(-2)).toEqual(["interrupted", "session_end"]);
  });

  it("is no longer pending when the agent withdraws the question", async () => {
    const events = await recorded("h10-interrupt-while-permission-pending.io");
    expect(all(events, "approval_denied")).toMatchObject([{ reason: "The agent took the question back." }]);
    expect(types(events)).not.toContain("shell_start");
    expect(types(events)).toContain("interrupted");
  });

  it.each(["h4-permission-none-default-mode", "h7-permission-mode-dontAsk", "r2-hook-blocks"])(
    "is refused without a question in %s",
    async (name) => {
      const events = await recorded(name);
      expect(types(events)).not.toContain("approval_request");
      expect(all(events, "approval_denied")).toHaveLength(1);
      expect(all(events, "tool_error")).toMatchObject([{ outcome: "blocked" }]);
      expect(types(events)).not.toContain("shell_start");
    },
  );

  it("is asked for a plan with the plan's text", async () => {
    const events = await recorded("h9-plan-mode-exit.io");
    expect(all(events, "approval_request")).toMatchObject([
      { action: "ExitPlanMode", detail: "# Plan\n1. Do it\n2. Test it\n" },
    ]);
    expect(all(events, "approval_granted")).toHaveLength(1);
  });

  it("is distinct from a question to the user", async () => {
    const events = await recorded("h8-ask-user-question.io");
    expect(all(events, "input_required")).toMatchObject([
      { question: "Which colour?", context: "Red: warm\nBlue: cold", source: "agent" },
    ]);
    expect(types(events)).not.toContain("approval_request");
    expect(all(events, "tool_result")[0]?.output).toContain('"Which colour?"="Blue"');
  });
});

describe("claude's subagents", () => {
  it("are runs of their own", async () => {
    const events = await recorded("i-subagent");
    expect(all(events, "subagent_spawn")).toMatchObject([
      { subagentId: "toolu_mock00000054", agentName: "general-purpose", prompt: "SUBTASK-A check the repo" },
    ]);
    const [child = []] = childrenOf(events);
    expect(all(child, "session_start")).toMatchObject([{ parentRunId: events[0]?.runId }]);
    expect(all(child, "shell_start")).toMatchObject([{ command: "echo from-subagent" }]);
    expect(all(child, "shell_stdout_delta")).toMatchObject([{ delta: "from-subagent" }]);
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "Subagent final report: all good." }]);
    expect(types(mainOf(events))).not.toContain("shell_start");
    expect(all(mainOf(events), "session_end")).toMatchObject([{ turnCount: 2, cost: { outputTokens: 168 } }]);
  });

  it("work side by side", async () => {
    const events = await recorded("i2-subagent-parallel");
    expect(all(events, "subagent_spawn").map(({ agentName }) => agentName)).toEqual(["general-purpose", "Explore"]);
    expect(childrenOf(events).map((child) => all(child, "shell_stdout_delta").map(({ delta }) => delta))).toEqual([
      ["A"],
      ["B"],
    ]);
    expect(all(events, "subagent_result").map(({ summary }) => summary)).toEqual(["Report B.", "Report A."]);
  });

  it("end in a later turn if they run in the background, and count in the cost", async () => {
    const events = await recorded("i3-subagent-background");
    const main = mainOf(events);
    expect(all(main, "subagent_result")).toMatchObject([{ summary: "Background report." }]);
    expect(types(main).indexOf("subagent_result")).toBeGreaterThan(types(main).indexOf("turn_end"));
    expect(texts(childrenOf(events)[0] ?? [])).toEqual(["Background report."]);
    expect(texts(main)).toEqual(["Started in the background.", "The background agent finished."]);
    expect(all(main, "session_end")).toMatchObject([{ turnCount: 3, cost: { outputTokens: 210, totalUsd: 0.007 } }]);
  });

  it("fail", async () => {
    const events = await recorded("i4-subagent-error");
    expect(all(events, "subagent_error")[0]?.error).toContain("API Error: 400 mock: bad sub request");
    expect(texts(mainOf(events))).toEqual(["The subagent failed."]);
  });

  it("ask for permission themselves", async () => {
    const call = (name: string, input: object, more: object = {}) => ({
      type: "assistant",
      session_id: "s",
      message: { id: `m-${name}`, model: "x", content: [{ type: "tool_use", id: name, name, input }] },
      ...more,
    });
    const request = { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "Bash", input: { command: "ls" } };
    const reply = { subtype: "success", request_id: "r", response: { behavior: "allow" } };
    const recording = [
      { dir: "out", msg: call("Agent", { prompt: "look", subagent_type: "Explore" }) },
      { dir: "out", msg: call("Bash", { command: "ls" }, { parent_tool_use_id: "Agent" }) },
      { dir: "out", msg: { type: "control_request", request_id: "r", request } },
      { dir: "in", msg: { type: "control_response", response: reply } },
    ];
    const events = await eventsOfLines(claude, lines(...recording));
    const [child = []] = childrenOf(events);
    expect(violationsOf(events)).toEqual([]);
    expect(types(child).filter((type) => /^(approval|shell)_/.test(type))).toEqual([
      "approval_request",
      "approval_granted",
      "shell_start",
      "shell_exit",
    ]);
    expect(types(mainOf(events))).not.toContain("approval_request");
  });

  it("report thoughts and text if the agent passes them on", async () => {
    const [child = []] = childrenOf(await recorded("i5-subagent-forward-text"));
    expect(all(child, "thinking_stop").map(({ thinking }) => thinking)).toEqual(["sub thinking"]);
    expect(texts(child)).toEqual(["Sub: looking.", "Subagent final report."]);
    expect(all(child, "turn_start")).toHaveLength(2);
  });
});

describe("claude's failures", () => {
  it("include retries and rate limits", async () => {
    const events = await recorded("k2-429-then-ok");
    expect(all(events, "rate_limited")).toMatchObject([{ retryAfterMs: 1000 }]);
    expect(all(events, "retry")).toMatchObject([
      { attempt: 1, maxAttempts: 10, delayMs: 1000, reason: "rate_limit (429)" },
    ]);
    expect(texts(events)).toEqual(["Recovered after a retry."]);
  });

  it("include a missing login, with instructions", async () => {
    const events = await recorded("k-401");
    expect(all(events, "retry")).toHaveLength(2);
    expect(all(events, "auth_error")).toMatchObject([
      {
        message: "Invalid API key · Fix external API key",
        guidance: expect.stringMatching(/\/login.*ANTHROPIC_API_KEY/),
      },
    ]);
    expect(types(events)).not.toContain("message_start");
  });

  it.each([
    ["k3-529-exhausted", "API Error: 529 Overloaded"],
    ["k8-connection-refused", "API Error: Connection refused"],
    ["k12-refusal", "safeguards flagged this message"],
    ["n2-max-budget", "Reached maximum budget ($0.001)"],
  ])("include that of %s", async (name, message) => {
    const events = await recorded(name);
    expect(all(events, "error")).toMatchObject([{ recoverable: false, message: expect.stringContaining(message) }]);
    expect(types(events).at(-1)).toBe("session_end");
    expect(types(events)).not.toContain("message_start");
  });

  it("include the fallback model", async () => {
    const events = await recorded("k10-fallback-model");
    expect(all(events, "retry")).toHaveLength(2);
    expect(all(events, "turn_start")).toMatchObject([{ model: "claude-sonnet-4-5" }]);
  });

  it("include the turn limit", async () => {
    const events = await recorded("n-max-turns");
    expect(all(events, "turn_limit")).toMatchObject([{ maxTurns: 2 }]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2 }]);
  });

  it("include an interruption during text, which is kept", async () => {
    const events = await recorded("l-sigint-midstream.partial");
    expect(texts(events)[0]).toMatch(/^A slow answer A slow answer/);
    expect(types(events).slice(-2)).toEqual(["interrupted", "session_end"]);
  });

  it("include an interruption during a command, without a result", async () => {
    const events = await recorded("l2-sigint-during-bash");
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: -1 }]);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "cancelled" }]);
    expect(types(events)).toContain("interrupted");
    expect(types(events)).not.toContain("crash");
  });

  it.each(["l4-control-interrupt-midstream", "l4-control-interrupt-midstream.io"])(
    "allow another prompt after the interrupt of %s, in a run of its own",
    async (name) => {
      const events = await recorded(name);
      const [first, second] = all(events, "session_start");
      expect(second).toMatchObject({ sessionId: first?.sessionId, resumed: true });
      expect(all(events, "interrupted")).toMatchObject([{ runId: first?.runId }]);
      expect(all(events, "session_end").at(-1)).toMatchObject({ turnCount: 2, cost: { totalUsd: 0.0014 } });
      expect(texts(events).at(-1)).toBe("Second turn after the interrupt.");
    },
  );

  it("include a killed process and one that never starts", async () => {
    expect(all(await recorded("l3-sigterm-midstream"), "crash")).toMatchObject([{ exitCode: 143 }]);
    expect(all(await recorded("z2-bad-flag"), "crash")).toMatchObject([{ exitCode: 1 }]);
    const cut = await eventsOf(claude, "claude/2.1.325/c-shell-ok.jsonl", (recording) => recording.slice(0, -1));
    expect(all(cut, "crash")).toMatchObject([{ exitCode: 0 }]);
  });
});

describe("a session of claude", () => {
  it("costs only what was added after it was resumed", async () => {
    const events = await recorded("m2-resume");
    expect(all(events, "session_end")).toMatchObject([{ cost: { totalUsd: 0.0014, outputTokens: 42 } }]);
    expect(all(events, "session_start")[0]?.sessionId).toBe(
      all(await recorded("m1-first"), "session_start")[0]?.sessionId,
    );
  });

  it("costs the difference of totals in versions that report only totals", async () => {
    const result = (costUSD: number) => ({
      type: "result",
      subtype: "success",
      is_error: false,
      session_id: "s",
      result: "ok",
      modelUsage: { m: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 1, costUSD } },
    });
    const events = await eventsOfLines(claude, lines(result(0.5), result(0.75)));
    expect(all(events, "cost").map(({ cost }) => [cost.totalUsd, cost.inputTokens])).toEqual([
      [0.5, 11],
      [0.75, 11],
    ]);
  });

  it("is compacted", async () => {
    expect(all(await recorded("s2-auto-compact"), "context_compacted")).toMatchObject([{ tokensSaved: 982_833 }]);
    const events = await recorded("s-compact.io");
    expect(all(events, "context_compacted")).toMatchObject([{ tokensSaved: 0 }]);
    expect(texts(events)).toEqual(["Hello, first answer.", "After compaction."]);
    expect(all(events, "cost").map(({ cost }) => cost.outputTokens)).toEqual([42, 84, 126]);
  });

  it("is steered by a prompt that comes while it works", async () => {
    const events = await eventsOf(claude, "claude/2.1.325/t5-stdin-closed-midturn.io.jsonl", (recording) =>
      recording.toSpliced(3, 0, recording[0]?.replace('"Go"', '"Faster"') ?? ""),
    );
    expect(all(events, "session_start")).toHaveLength(1);
    expect(all(events, "debug").map(({ message }) => message)).toContainEqual(expect.stringContaining("Faster"));
    expect(texts(events)).toEqual(["Finished although stdin was closed."]);
  });

  it("may be preceded by other frames", async () => {
    const events = await recorded("z-bare");
    expect(all(events, "session_start")).toHaveLength(1);
    expect(texts(events)).toEqual(["Done."]);
  });
});

describe("the dialect of claude", () => {
  const dialect = claude.dialects[0];

  it("is distinguished from its session log and from ACP", () => {
    const knows = (value: unknown) => dialect?.recognises([{ dir: "out", value }]);
    expect(knows({ type: "system", subtype: "hook_started", session_id: "s" })).toBe(true);
    expect(knows({ duration_api_ms: 1, session_id: "s", type: "result" })).toBe(true);
    expect(knows({ type: "control_request", request_id: "1", request: {} })).toBe(true);
    expect(knows({ type: "user", sessionId: "s", parentUuid: null, message: {} })).toBe(false);
    expect(knows({ jsonrpc: "2.0", method: "session/update" })).toBe(false);
    expect(chooseDialect(claude, ["not json"])).toBe(dialect);
  });

  it("reports images, skills, and calls whose names are those of built-in object properties", async () => {
    const call = (id: string, name: string, input: object) => ({
      type: "assistant",
      session_id: "s",
      message: { id: "m", model: "x", content: [{ type: "tool_use", id, name, input }] },
    });
    const user = (content: object[], more: object = {}) => ({
      type: "user",
      session_id: "s",
      message: { content },
      ...more,
    });
    const events = await eventsOfLines(
      claude,
      lines(
        user([{ type: "image", source: { type: "base64", media_type: "image/png", data: "" } }], { isReplay: true }),
        call("1", "Skill", { skill: "greet" }),
        user([{ type: "tool_result", tool_use_id: "1", content: "Launching" }]),
        call("2", "constructor", {}),
        { type: "constructor", session_id: "s" },
        { type: "result", session_id: "s", is_error: false, result: "ok" },
      ),
    );
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "image_input_ack")).toMatchObject([{ mimeType: "image/png" }]);
    expect(all(events, "skill_invoked")).toMatchObject([{ skillName: "greet" }]);
    expect(all(events, "tool_call_ready").map(({ toolKind }) => toolKind)).toEqual(["other", "other"]);
  });
});

describe("blocks that are streamed", () => {
  const event = (told: object) => ({ type: "stream_event", session_id: "s", event: told });
  const streamed = (index: number, block: object, delta: object) => [
    event({ type: "content_block_start", index, content_block: block }),
    event({ type: "content_block_delta", index, delta }),
    event({ type: "content_block_stop", index }),
  ];
  const thought = streamed(0, { type: "thinking" }, { type: "thinking_delta", thinking: "hm" });
  const said = streamed(1, { type: "text" }, { type: "text_delta", text: "Hello" });
  const line = (...content: object[]) => ({ type: "assistant", session_id: "s", message: { id: "m", content } });
  const [thinking, text] = [
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "Hello" },
  ];
  const start = event({ type: "message_start", message: { id: "m", model: "x" } });

  it.each([
    ["each after its own", [start, ...thought, line(thinking), ...said, line(text)]],
    ["after all of them", [start, ...thought, ...said, line(thinking), line(text)]],
    ["in one line", [start, ...thought, ...said, line(thinking, text)]],
  ])("are reported once if their lines come %s", async (_, frames) => {
    const events = await eventsOfLines(claude, lines(...frames, { type: "result", session_id: "s", result: "Hello" }));
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "thinking_stop").map((event) => event.thinking)).toEqual(["hm"]);
    expect(all(events, "message_stop").map((event) => event.text)).toEqual(["Hello"]);
  });
});
