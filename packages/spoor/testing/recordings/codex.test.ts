import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { codex } from "../../src/agents/codex/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines, violationsOf } from "../run/recordings.ts";

describeRecordings(codex);

const recorded = (name: string) => eventsOf(codex, `codex/0.166.0/${name}.jsonl`);

const of = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const texts = (events: readonly AgentEvent[]) => of(events, "message_stop").map(({ text }) => text);
const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const project = "/home/user/project";
const tokens = { inputTokens: 1200, outputTokens: 60, thinkingTokens: 20, cachedTokens: 1000 };

describe.each(["app-server", "exec"])("codex over %s", (dialect) => {
  it("reports the whole answer once", async () => {
    const answer =
      "Hello! This is a plain answer that is streamed in many small deltas, one after another, so that the normaliser has something to chew on. Unicode: é ü 漢字 🚀 done.";
    const events = await recorded(`a-text.${dialect}`);
    expect(texts(events)).toEqual([answer]);
    expect(
      of(events, "text_delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(answer);
    expect(of(events, "token_usage")).toMatchObject([tokens]);
  });

  it("reports summaries of reasoning as thinking", async () => {
    const [thinking] = of(await recorded(`b-thinking.${dialect}`), "thinking_stop");
    expect(thinking?.thinking).toMatch(
      /^\*\*Considering the question\*\*\n\nLet me think about this step by step\.\n+\*\*Deciding\*\*\n\nI decide on an answer\.$/,
    );
  });

  it("recovers a command, its output and its exit code", async () => {
    const events = await recorded(`d-shell-fail.${dialect}`);
    const command = `/bin/bash -lc 'echo partial output; echo "boom: no such thing" >&2; exit 3'`;
    expect(of(events, "tool_call_ready")).toMatchObject([
      { toolName: "exec_command", toolKind: "shell", input: { command } },
    ]);
    expect(of(events, "shell_start")).toMatchObject([{ command }]);
    const output = of(events, "shell_stdout_delta")
      .map(({ delta }) => delta)
      .join("");
    expect(output.split("\n").sort()).toEqual(["", "boom: no such thing", "partial output"]);
    expect(of(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(of(events, "tool_error")).toMatchObject([{ outcome: "failed", error: expect.stringContaining("boom") }]);
    expect(of(events, "turn_start")).toHaveLength(2);
  });

  it("keeps the output of a command that outlives its model call together", async () => {
    const events = await recorded(`d3-shell-background-session.${dialect}`);
    expect(of(events, "tool_error")).toEqual([]);
    expect(of(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    expect(
      of(events, "shell_stdout_delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("hello\r\ngot hello\r\n");
  });

  it("reports what each patch did to files", async () => {
    const events = await recorded(`e-files.${dialect}`);
    const files = events.filter(({ type }) => type.startsWith("file_") && type !== "file_read");
    expect(files[0]).toMatchObject({ type: "file_patch", path: `${project}/src/calc.js` });
    expect(files[1]).toMatchObject({ type: "file_create", path: `${project}/src/calc.test.js` });
    expect(files[2]).toMatchObject({ type: "file_delete", path: `${project}/notes.txt` });
    expect(of(events, "tool_call_ready").map(({ toolName, toolKind }) => `${toolName} ${toolKind}`)).toEqual([
      "exec_command shell",
      "apply_patch edit",
      "apply_patch file_write",
      "apply_patch edit",
      "apply_patch edit",
    ]);
    expect(of(events, "turn_start")).toHaveLength(6);
    expect(texts(events).at(-1)).toBe("Done: fixed add() and added a test.");
  });

  it("reports MCP calls with their server, and distinguishes a tool's error from the transport's", async () => {
    const events = await recorded(`g-mcp.${dialect}`);
    expect(of(events, "mcp_tool_call_start")).toMatchObject([
      { server: "demo", toolName: "echo", input: { text: "hi there" } },
      { server: "demo", toolName: "fail", input: { reason: "testing" } },
    ]);
    expect(of(events, "mcp_tool_result")).toMatchObject([
      { output: { content: [{ type: "text", text: "echo: hi there" }] } },
    ]);
    expect(of(events, "mcp_tool_error")).toMatchObject([{ error: "demo failure: testing", protocol: false }]);
  });

  it("reports every change of the plan once", async () => {
    const events = await recorded(`j-plan.${dialect}`);
    const plans = of(events, "tool_call_ready").filter(({ toolKind }) => toolKind === "todo_write");
    expect(plans.map(({ input }) => (input as { plan: unknown[] }).plan)).toEqual(
      dialect === "exec"
        ? [
            [
              { text: "Read code", completed: false },
              { text: "Fix bug", completed: false },
            ],
            [
              { text: "Read code", completed: true },
              { text: "Fix bug", completed: true },
            ],
          ]
        : [
            [
              { step: "Read code", status: "inProgress" },
              { step: "Fix bug", status: "pending" },
            ],
            [
              { step: "Read code", status: "completed" },
              { step: "Fix bug", status: "completed" },
            ],
          ],
    );
    expect(of(events, "turn_start")).toHaveLength(4);
  });

  it("reports a subagent and what it reports", async () => {
    const events = await recorded(`i-subagent.${dialect}`);
    const [spawn] = of(events, "subagent_spawn");
    expect(spawn).toMatchObject({ prompt: "SUBTASK-A check the repo" });
    expect(of(events, "subagent_result")).toMatchObject([
      { subagentId: spawn?.subagentId, summary: "Subagent final report: all good." },
    ]);
    expect(of(events, "tool_call_ready").filter(({ runId }) => runId === spawn?.runId)).toMatchObject([
      { toolName: "spawn_agent", toolKind: "subagent" },
      { toolName: "wait", toolKind: "subagent" },
    ]);
  });

  it.each([
    ["k-401", { type: "auth_error", guidance: expect.stringContaining("codex login") }],
    ["k2b-429-usage-limit", { type: "rate_limit_error", message: expect.stringContaining("usage limit") }],
    ["k3b-sse-failed-overloaded", { type: "error", recoverable: false, message: expect.stringContaining("capacity") }],
    ["k4-context-too-long", { type: "context_exceeded" }],
    ["k10-incomplete-max-tokens", { type: "error", message: expect.stringContaining("max_output_tokens") }],
    ["k12-cut-never-completed-then-exhausted", { type: "error", message: expect.stringContaining("disconnected") }],
  ])("ends %s with its failure", async (name, failure) => {
    const events = (await recorded(`${name}.${dialect}`)).filter(({ type }) => type !== "debug");
    expect(events.at(-2)).toMatchObject(failure);
    expect(events.at(-1)?.type).toBe("session_end");
  });

  it("reports retries and a rate limit as their reason", async () => {
    expect(
      of(await recorded(`k-401.${dialect}`), "retry").map(({ attempt, maxAttempts }) => [attempt, maxAttempts]),
    ).toEqual([1, 2, 3, 4, 5].map((attempt) => [attempt, 5]));
    const events = await recorded(`k6-sse-rate-limit-then-ok.${dialect}`);
    expect(of(events, "rate_limited")).toMatchObject([{ retryAfterMs: 500 }]);
    expect(of(events, "retry")).toMatchObject([
      { attempt: 1, maxAttempts: 5, reason: expect.stringContaining("Rate limit reached") },
    ]);
    expect(texts(events)).toEqual(["Recovered."]);
  });

  it("reports text before a connection loss once per attempt", async () => {
    expect(texts(await recorded(`k7-connection-cut-midstream.${dialect}`))).toEqual([
      "Partial text before",
      "Full text after reconnect.",
    ]);
    const events = await recorded(`k12-cut-never-completed-then-exhausted.${dialect}`);
    expect(texts(events)).toEqual(["Partial", "Partial", "Partial"]);
    expect(of(events, "turn_start")).toHaveLength(3);
  });

  it("is recognised by its first lines, even if the recording starts later", async () => {
    const lines: string[] = [];
    await eventsOf(codex, `codex/0.166.0/c-shell-ok.${dialect}.jsonl`, (all) => {
      lines.push(...all);
      return all;
    });
    const name = dialect === "exec" ? "exec-json" : "app-server";
    expect(chooseDialect(codex, lines).name).toBe(name);
    expect(chooseDialect(codex, ["A warning", ...lines.slice(4)]).name).toBe(name);
  });
});

describe("codex app-server", () => {
  it.each(["c-shell-ok", "h-approval-command-accept", "i-subagent", "m5-fork", "k7-connection-cut-midstream"])(
    "reads %s from the agent's side alone",
    async (name) => {
      const recording = `codex/0.166.0/${name}.app-server.jsonl`;
      const alone = await eventsOf(codex, recording, (lines) =>
        lines.map((line) => JSON.parse(line)).flatMap(({ dir, msg }) => (dir === "out" ? [JSON.stringify(msg)] : [])),
      );
      const told = (events: AgentEvent[]) => types(events).filter((type) => type !== "debug");
      expect(violationsOf(alone)).toEqual([]);
      expect(told(alone)).toEqual(told(await eventsOf(codex, recording)));
    },
  );

  it("reports the tokens of every model call, and its model", async () => {
    const events = await recorded("c-shell-ok.app-server");
    expect(of(events, "token_usage")).toMatchObject([tokens, tokens]);
    expect(of(events, "turn_start")).toMatchObject([{ model: "gpt-5.5", provider: "mock" }, { model: "gpt-5.5" }]);
  });

  it("streams output, of which the agent loses the beginning, and gives the whole as the result", async () => {
    const events = await recorded("d2-shell-streaming.app-server");
    expect(of(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["tick 2\n", "tick 3\n", "tick 4\n"]);
    expect(of(events, "tool_result")).toMatchObject([{ output: "tick 1\ntick 2\ntick 3\ntick 4\n", durationMs: 1988 }]);
  });

  it("reports input written to a running command as a call", async () => {
    const calls = of(await recorded("d3-shell-background-session.app-server"), "tool_call_ready");
    expect(calls[1]).toMatchObject({ toolName: "write_stdin", input: { stdin: "hello\n" } });
  });

  it("reports patches as unified diffs, new files with their size, and a move as a patch and a deletion", async () => {
    const events = await recorded("e-files.app-server");
    expect(of(events, "file_read")).toMatchObject([{ path: `${project}/src/calc.js` }]);
    expect(of(events, "file_patch").map(({ diff }) => diff)).toEqual([
      "--- a/home/user/project/src/calc.js\n+++ b/home/user/project/src/calc.js\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a - b;\n+  return a + b;\n }\n",
      "--- a/home/user/project/README.md\n+++ b/home/user/project/docs/README.md\n@@ -1,2 +1,2 @@\n-# Demo project\n+# Demo project (moved)\n \n",
    ]);
    expect(of(events, "file_create")[0]?.byteCount).toBe(97);
    expect(of(events, "file_delete").map(({ path }) => path)).toEqual([`${project}/notes.txt`, `${project}/README.md`]);
  });

  it.each([
    ["h-approval-command-accept", "exec_command", `/bin/bash -lc 'touch made.txt && echo created'`, true],
    ["h2-approval-command-decline", "exec_command", `/bin/bash -lc 'touch made.txt'`, false],
    ["h4-approval-patch-accept", "apply_patch", `${project}/src/calc.js`, true],
    ["h5-approval-patch-decline", "apply_patch", `${project}/src/calc.js`, false],
    ["g4-mcp-approval-accept", "echo", `Allow the demo MCP server to run tool "echo"?`, true],
  ])("reports the question and the answer of %s", async (name, toolName, detail, granted) => {
    const events = await recorded(`${name}.app-server`);
    const [request] = of(events, "approval_request");
    expect(request).toMatchObject({ toolName, detail });
    const [answer] = of(events, granted ? "approval_granted" : "approval_denied");
    expect(answer?.interactionId).toBe(request?.interactionId);
    expect(types(events).includes("tool_error")).toBe(!granted);
    expect(types(events).includes("shell_start")).toBe(granted && toolName === "exec_command");
    expect(types(events).includes("file_patch")).toBe(granted && toolName === "apply_patch");
  });

  it("pairs the answers of two questions with their commands", async () => {
    const events = await recorded("h8-approval-parallel.app-server");
    expect(of(events, "approval_request").map(({ detail }) => detail)).toEqual([
      "/bin/bash -lc 'touch p1'",
      "/bin/bash -lc 'touch p2'",
    ]);
    expect(of(events, "approval_granted")).toHaveLength(2);
    expect(of(events, "shell_exit")).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    expect(of(events, "turn_start")).toHaveLength(2);
  });

  it("reports a question to the user, its answer and the plan that follows", async () => {
    const events = await recorded("h10-request-user-input-plan-mode.app-server");
    expect(of(events, "input_required")).toMatchObject([
      { question: "Which colour?", context: "Colour\n- Red: warm\n- Blue: cold", source: "agent" },
    ]);
    expect(of(events, "tool_result")).toMatchObject([
      { toolName: "request_user_input", output: { colour: { answers: ["Blue"] } } },
    ]);
    expect(texts(events)).toEqual(["# Plan\n1. Paint it blue\n"]);
  });

  it("reports what a subagent does as a run of its own", async () => {
    const events = await recorded("i-subagent.app-server");
    const [spawn] = of(events, "subagent_spawn");
    const child = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(of(child, "session_start")).toMatchObject([{ sessionId: spawn?.subagentId, parentRunId: spawn?.runId }]);
    expect(texts(child)).toEqual(["Sub: looking.", "Subagent final report: all good."]);
    expect(of(child, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["from-subagent\n"]);
    expect(of(child, "session_end")).toMatchObject([{ turnCount: 2 }]);
    expect(texts(events.filter(({ runId }) => runId === spawn?.runId))).toEqual(["The subagent reported: all good."]);
  });

  it("ends an interrupted turn and the command in it", async () => {
    const events = await recorded("l2-interrupt-during-command.app-server");
    expect(of(events, "tool_error")).toMatchObject([{ outcome: "cancelled" }]);
    expect(types(events).slice(-2)).toEqual(["interrupted", "session_end"]);
  });

  it("reports prompts during and after a turn in the same run", async () => {
    const steered = await recorded("t-steer-midturn.app-server");
    expect(texts(steered)).toEqual(["Answer taking the follow-up into account."]);
    expect(of(steered, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    const next = await recorded("t2-multi-turn.app-server");
    expect(texts(next)).toEqual(["First.", "Second."]);
    expect(of(next, "session_end")).toMatchObject([{ turnCount: 2 }]);
  });

  it("reports a fork and its compaction, without the tokens of the history", async () => {
    const events = await recorded("m5-fork.app-server");
    expect(of(events, "session_fork")).toMatchObject([{ forkedFrom: "01a1dcd1-6e8b-7ef2-88ee-234173de6455" }]);
    expect(of(events, "context_compacted")).toHaveLength(1);
    expect(of(events, "token_usage")).toMatchObject([tokens, tokens]);
  });

  it("reports instructions and images that were read", async () => {
    const events = await recorded("u-skill-and-agentsmd.app-server");
    expect(of(events, "agentdoc_read")).toMatchObject([{ path: `${project}/AGENTS.md` }]);
    expect(of(events, "file_read")).toMatchObject([{ path: "/home/user/.codex/skills/greet/SKILL.md" }]);
    const viewed = await recorded("p2-view-image.app-server");
    expect(of(viewed, "tool_call_ready")).toMatchObject([{ toolName: "view_image", toolKind: "file_read" }]);
    expect(of(viewed, "file_read")).toMatchObject([{ path: `${project}/pic.png` }]);
  });

  it("computes tokens from totals, and reports the size of a full context", async () => {
    const cut = await recorded("k10-incomplete-max-tokens.app-server");
    expect(of(cut, "token_usage")).toMatchObject([tokens]);
    expect(of(cut, "turn_end")).toMatchObject([{ stopReason: "max_output_tokens" }]);
    const full = await recorded("k4-context-too-long.app-server");
    expect(of(full, "context_exceeded")).toMatchObject([{ usedTokens: 258_400, maxTokens: 258_400 }]);
    expect(of(full, "token_usage")).toEqual([]);
  });

  it("continues if a request other than the prompt is refused", async () => {
    const events = await recorded("y-misc-requests.app-server");
    expect(of(events, "error").map(({ recoverable }) => recoverable)).toEqual([true, true]);
    expect(texts(events)).toEqual(["First."]);
  });

  it("reports a crash if the process exits within a turn, but not between turns", async () => {
    const cut = (keep: number) => (lines: string[]) => lines.slice(0, keep);
    const within = await eventsOf(codex, "codex/0.166.0/t2-multi-turn.app-server.jsonl", cut(16));
    expect(of(within, "crash")).toMatchObject([{ exitCode: 0 }]);
    const idle = await eventsOf(codex, "codex/0.166.0/t2-multi-turn.app-server.jsonl", cut(6));
    expect(of(idle, "crash")).toEqual([]);
  });
});

describe("codex app-server, beyond the recordings", () => {
  const out = (method: string, params: object = {}, more: object = {}) =>
    JSON.stringify({ dir: "out", msg: { method, params: { threadId: "t", turnId: "u", ...params }, ...more } });
  const result = (id: number, value: object) => JSON.stringify({ dir: "out", msg: { id, result: value } });
  const sent = (msg: object) => JSON.stringify({ dir: "in", msg });
  const thread = (id: string, turns: object[] = []) => ({ thread: { id, turns }, model: "m", instructionSources: [] });
  const start = [
    sent({ id: 1, method: "thread/start", params: {} }),
    result(1, thread("t")),
    sent({ id: 2, method: "turn/start", params: { threadId: "t", input: [] } }),
    out("turn/started", { turn: { id: "u" } }),
  ];
  const completed = out("turn/completed", { turn: { id: "u", status: "completed", items: [] } });
  const item = (of: object) => [out("item/started", { item: of }), out("item/completed", { item: of })];
  const run = async (...lines: string[]) => {
    const events = await eventsOfLines(codex, [...start, ...lines, completed]);
    expect(violationsOf(events)).toEqual([]);
    return events;
  };

  it("reports web searches and images", async () => {
    const action = { type: "search", query: "spoor" };
    const events = await run(
      out("item/started", { item: { type: "webSearch", id: "w", query: "", action: null } }),
      out("item/completed", { item: { type: "webSearch", id: "w", query: "spoor", action } }),
      ...item({ type: "imageGeneration", id: "g", status: "completed", result: "aGk=", savedPath: "/x.png" }),
    );
    expect(of(events, "tool_call_ready")).toMatchObject([
      { toolName: "web_search", toolKind: "web_search", input: { query: "spoor" } },
      { toolName: "image_generation" },
    ]);
    expect(of(events, "image_output")).toMatchObject([{ base64: "aGk=", filePath: "/x.png" }]);
  });

  it("reads images and skills of a prompt from its echo", async () => {
    const content = [
      { type: "localImage", path: "/a.jpg" },
      { type: "skill", name: "greet", path: "/s" },
    ];
    const events = await run(...item({ type: "userMessage", id: "m", content }));
    expect(of(events, "image_input_ack")).toMatchObject([{ mimeType: "image/jpeg" }]);
    expect(of(events, "skill_invoked")).toMatchObject([{ skillName: "greet" }]);
  });

  it("counts the turns of a resumed thread, and opens a run for another thread", async () => {
    const events = await eventsOfLines(codex, [
      sent({ id: 1, method: "thread/resume", params: { threadId: "t" } }),
      result(1, thread("t", [{}, {}])),
      ...start.slice(2),
      out("item/agentMessage/delta", { itemId: "m", delta: "Hi" }),
      completed,
      sent({ id: 3, method: "thread/start", params: {} }),
      result(3, thread("t2")),
    ]);
    expect(violationsOf(events)).toEqual([]);
    expect(of(events, "session_resume")).toMatchObject([{ sessionId: "t", priorTurnCount: 2 }]);
    expect(of(events, "session_end")).toMatchObject([{ turnCount: 3 }, { sessionId: "t2", turnCount: 0 }]);
  });

  it("does not repeat a message whose pieces come late", async () => {
    const piece = (itemId: string, delta: string) => out("item/agentMessage/delta", { itemId, delta });
    const retried = { error: { message: "Reconnecting... 1/5" }, willRetry: true };
    const events = await run(
      piece("m1", "Part"),
      out("error", retried),
      piece("m1", "ial"),
      piece("m2", "Whole"),
      out("item/completed", { item: { type: "agentMessage", id: "m2", text: "Whole." } }),
      piece("m2", "."),
    );
    expect(texts(events)).toEqual(["Part", "Whole."]);
  });

  it("distinguishes a refused MCP call from a failed one", async () => {
    const call = { type: "mcpToolCall", id: "c", server: "demo", tool: "echo", arguments: {}, status: "inProgress" };
    const failed = (message: string) =>
      out("item/completed", { item: { ...call, status: "failed", error: { message } } });
    const asked = {
      serverName: "demo",
      message: "?",
      _meta: { codex_approval_kind: "mcp_tool_call", tool_params: {} },
    };
    const refused = await run(
      out("item/started", { item: call }),
      out("mcpServer/elicitation/request", asked, { id: 0 }),
      sent({ id: 0, result: { action: "decline" } }),
      failed("user rejected MCP tool call"),
    );
    expect(of(refused, "approval_denied")).toMatchObject([{ reason: "decline" }]);
    expect(of(refused, "mcp_tool_error")).toMatchObject([{ error: "user rejected MCP tool call" }]);
    const broken = await run(out("item/started", { item: call }), failed("connection closed"));
    expect(of(broken, "mcp_tool_error")).toMatchObject([{ error: "connection closed", protocol: true }]);
  });

  it("ends the run when its thread cannot be opened", async () => {
    const events = await eventsOfLines(codex, [
      sent({ id: 1, method: "thread/resume", params: { threadId: "x" } }),
      JSON.stringify({
        dir: "out",
        msg: { id: 1, error: { code: -32600, message: "no rollout found for thread id x" } },
      }),
    ]);
    expect(of(events, "error")).toMatchObject([{ code: "SESSION_NOT_FOUND", recoverable: false }]);
  });
});

describe("codex exec", () => {
  it("reports a patch without its diff", async () => {
    expect(of(await recorded("e-files.exec"), "file_patch").map(({ diff }) => diff)).toEqual(["", ""]);
  });

  it("reports the exit of the process if the dialect reported no end", async () => {
    expect(of(await recorded("l3-sigterm.exec"), "crash")).toMatchObject([{ exitCode: -1 }]);
    expect(of(await recorded("l2-interrupt-during-command.exec"), "crash")).toMatchObject([{ exitCode: 1 }]);
    expect(of(await recorded("h9-approval-exec-mode-untrusted.exec"), "crash")).toMatchObject([{ exitCode: 1 }]);
    expect(of(await eventsOfLines(codex, []), "crash")).toMatchObject([{ exitCode: 0 }]);
  });

  it("reports an item of type error as a warning", async () => {
    const lines = [
      '{"type":"thread.started","thread_id":"t"}',
      '{"type":"item.completed","item":{"id":"item_0","type":"error","message":"unknown model"}}',
      '{"type":"turn.started"}',
      '{"type":"turn.completed","usage":{}}',
    ];
    const events = await eventsOfLines(codex, lines);
    expect(of(events, "debug")).toMatchObject([{ level: "warn", message: "unknown model" }]);
    expect(of(events, "error")).toEqual([]);
  });
});
