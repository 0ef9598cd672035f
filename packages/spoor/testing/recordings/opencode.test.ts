import { readFileSync } from "node:fs";
import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { opencode } from "../../src/agents/opencode/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines, recordingsOf, violationsOf } from "../run/recordings.ts";

describeRecordings(opencode);

const version = "opencode/1.18.33";
const read = (name: string) => eventsOf(opencode, `${version}/${name}.jsonl`);
const linesOf = (recording: string) =>
  readFileSync(new URL(`../../fixtures/${recording}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");

function all<T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] {
  return events.filter((event): event is AgentEventOf<T> => event.type === type);
}

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const text = (events: readonly AgentEvent[]) => all(events, "message_stop").map((event) => event.text);
const tools = (events: readonly AgentEvent[]) =>
  all(events, "tool_call_ready").map(({ toolName, toolKind }) => `${toolName} ${toolKind}`);

describe("OpenCode's dialects", () => {
  const wireOf = (recording: string) =>
    recording.endsWith(".acp.jsonl") ? "acp" : recording.endsWith(".sse.jsonl") ? "server-events" : "run-json";

  it("are distinguished by their first lines", () => {
    for (const recording of recordingsOf("opencode").filter((name) => !name.endsWith("m_resume_missing.jsonl"))) {
      const lines = linesOf(recording);
      expect(chooseDialect(opencode, lines.slice(0, 40)).name, recording).toBe(wireOf(recording));
      if (lines.length > 2) expect(chooseDialect(opencode, lines.slice(1)).name, recording).toBe(wireOf(recording));
    }
  });

  it("give the same result for one session from the server's events and from its list of messages", async () => {
    const events = await read("serve.e_files.sse");
    const document = await eventsOf(opencode, `${version}/session-log.e_files.messages.json`);
    expect(violationsOf(document)).toEqual([]);
    for (const type of ["session_start", "tool_call_ready", "file_read", "file_patch", "file_create"] as const) {
      const bare = (found: readonly AgentEvent[]) => all(found, type).map(({ timestamp, runId, ...event }) => event);
      expect(bare(document), type).toEqual(bare(events));
    }
    expect(text(document)).toEqual(text(events));
    expect(all(document, "session_end")[0]?.cost).toEqual(all(events, "session_end")[0]?.cost);
  });

  it("include a document on one line, as exported, and events as an SSE stream", async () => {
    const messages = JSON.parse(linesOf(`${version}/session-log.c_shell_ok.messages.json`).join("\n"));
    const exported = { info: { id: "ses_1", title: "A title" }, messages };
    for (const document of [JSON.stringify(messages), JSON.stringify(exported)]) {
      expect(text(await eventsOfLines(opencode, [document]))).toEqual([
        "Running it.",
        "The command printed three lines.",
      ]);
    }
    const stream = linesOf(`${version}/serve.b_thinking.sse.jsonl`).flatMap((line) => [`data: ${line}`, ""]);
    expect(text(await eventsOfLines(opencode, stream))).toEqual(text(await read("serve.b_thinking.sse")));
    const everywhere = linesOf(`${version}/serve.b_thinking.sse.jsonl`).map(
      (line) => `{"directory":"/home/user/project","payload":${line}}`,
    );
    expect(text(await eventsOfLines(opencode, everywhere))).toEqual(text(await read("serve.b_thinking.sse")));
  });

  it("keep other lines as logs, and report an empty file as a crash", async () => {
    const events = await eventsOfLines(opencode, ["[", "  {", '  "info": {']);
    expect(all(events, "log")).toHaveLength(3);
    expect(all(events, "crash")).toMatchObject([{ exitCode: 0 }]);
    expect(all(await read("m_resume_missing"), "crash")).toMatchObject([{ exitCode: 1 }]);
    expect(types(await eventsOfLines(opencode, []))).toEqual(["session_start", "crash", "session_end"]);
  });
});

describe("OpenCode's run --format json", () => {
  it("reports text, commands, tokens and cost, with a turn for each model call", async () => {
    const events = await read("c_shell_ok");
    expect(all(events, "session_start")).toMatchObject([{ sessionId: "ses_e23384531ffevId5hgrErO7C44" }]);
    expect(text(events)).toEqual(["Running it.", "The command printed three lines."]);
    expect(all(events, "shell_start")).toMatchObject([{ command: "printf 'line one\\nline two\\nline three\\n'" }]);
    expect(all(events, "shell_stdout_delta")).toMatchObject([{ delta: "line one\nline two\nline three\n" }]);
    // The times in the recording: 1794705474936 to 1794705481745.
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0, durationMs: 6809 }]);
    expect(all(events, "token_usage")).toMatchObject([
      { inputTokens: 1200, outputTokens: 34 },
      { inputTokens: 1200, outputTokens: 34 },
    ]);
    expect(all(events, "session_end")).toMatchObject([
      { turnCount: 2, cost: { inputTokens: 2400, outputTokens: 68, source: "agent_reported" } },
    ]);
    expect(all(events, "session_end")[0]?.cost?.totalUsd).toBeCloseTo(0.002536, 9);
    expect(all(events, "turn_end").map(({ stopReason }) => stopReason)).toEqual(["tool-calls", "stop"]);
  });

  it("reports the exit code of a command that fails; its call does not fail", async () => {
    const events = await read("d_shell_fail");
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(all(events, "tool_result")).toHaveLength(1);
  });

  it("reports files and their snapshots", async () => {
    const events = await read("e_files");
    expect(tools(events)).toEqual(["read file_read", "edit edit", "write file_write"]);
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/src/greet.txt" }]);
    expect(all(events, "file_patch")).toMatchObject([
      {
        path: "/home/user/project/src/greet.txt",
        diff: [
          "--- a/home/user/project/src/greet.txt",
          "+++ b/home/user/project/src/greet.txt",
          "@@ -1,3 +1,3 @@\n hello\n-world\n+planet\n foo\n",
        ].join("\n"),
      },
    ]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/new.txt", byteCount: 15 }]);
    const snapshots = linesOf(`${version}/e_files.jsonl`).flatMap((line) => {
      const { type, part } = JSON.parse(line);
      return type === "step_start" ? [part.snapshot as string] : [];
    });
    expect(all(events, "session_checkpoint").map(({ checkpointId }) => checkpointId)).toEqual([...new Set(snapshots)]);
  });

  it("reports an edit that fails, and no file for it", async () => {
    const events = await read("e_edit_fail");
    expect(all(events, "tool_error")).toMatchObject([{ toolName: "edit", outcome: "failed" }]);
    expect(types(events)).not.toContain("file_patch");
  });

  it("treats a name with a server prefix as an MCP tool", async () => {
    const events = await read("g_mcp");
    expect(all(events, "mcp_tool_call_start")).toMatchObject([
      { server: "fixture", toolName: "lookup", input: { key: "answer" } },
      { server: "fixture", toolName: "explode" },
    ]);
    expect(all(events, "mcp_tool_result")).toMatchObject([{ output: "value of answer: 42" }]);
    expect(all(events, "mcp_tool_error")).toMatchObject([{ error: "explode failed: test", protocol: false }]);
  });

  it("distinguishes refusals by a rule from those without anybody to ask", async () => {
    for (const name of ["h_permission_ask_run", "h_permission_deny_pattern", "h_permission_deny_cfg"]) {
      const events = await read(name);
      expect(all(events, "approval_denied"), name).toHaveLength(1);
      expect(all(events, "tool_error"), name).toMatchObject([{ toolName: "bash", outcome: "blocked" }]);
      expect(types(events), name).not.toContain("shell_start");
    }
    expect(types(await read("h_permission_auto"))).toContain("shell_exit");
  });

  it("reports a call of an unknown tool under its name, as failed", async () => {
    expect(all(await read("f_invalid_tool"), "tool_error")).toMatchObject([
      { toolName: "no_such_tool", outcome: "failed" },
    ]);
  });

  it("reports a subagent and its report", async () => {
    const events = await read("i_subagent");
    expect(all(events, "subagent_spawn")).toMatchObject([{ agentName: "general", prompt: "Count the files in src" }]);
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "There is 1 file." }]);
  });

  it("recovers from a context that is too long, without the summary in the answer", async () => {
    const events = await read("k_400_context");
    expect(all(events, "error")).toMatchObject([{ code: "CONTEXT_EXCEEDED", recoverable: true }]);
    expect(all(events, "context_compacted")).toMatchObject([{ summary: "Scripted session title" }]);
    expect(text(events)).toEqual(["After compaction."]);
    expect(types(events)).not.toContain("crash");
  });

  it("says how to log in, and reports the signal that ended it", async () => {
    expect(all(await read("k_401"), "auth_error")).toMatchObject([
      { message: "Incorrect API key provided: dummy", guidance: expect.stringContaining("opencode auth login") },
    ]);
    expect(all(await read("l_interrupt_tool_sigterm"), "crash")).toMatchObject([{ exitCode: -1 }]);
    const lines = linesOf(`${version}/l_interrupt_tool_sigterm.jsonl`);
    expect(types(await eventsOfLines(opencode, lines, { code: null, signal: "SIGINT" }))).toContain("interrupted");
    expect(types(await eventsOfLines(opencode, lines))).toContain("crash");
  });
});

describe("OpenCode's server", () => {
  it("streams thoughts and text, distinguished by their parts, and reports neither twice", async () => {
    const events = await read("serve.b_thinking.sse");
    const deltas = linesOf(`${version}/serve.b_thinking.sse.jsonl`).filter((line) => line.includes("part.delta"));
    expect(all(events, "thinking_delta").length + all(events, "text_delta").length).toBe(deltas.length);
    expect(all(events, "thinking_stop").map(({ thinking }) => thinking)).toEqual([
      all(events, "thinking_delta")
        .map(({ delta }) => delta)
        .join(""),
    ]);
    expect(all(events, "token_usage")).toMatchObject([{ outputTokens: 34, thinkingTokens: 12 }]);
    expect(all(events, "turn_start")).toMatchObject([{ model: "fake-model", provider: "fake" }]);
    // The file contains a late event of another session.
    expect(all(events, "session_start")).toHaveLength(1);
  });

  it("reports what a command prints as it comes", async () => {
    const events = await read("serve.c_shell_ok.sse");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "line one\nline two\n",
      "line three\n",
    ]);
    expect(all(events, "shell_start")).toMatchObject([{ cwd: "/home/user/project" }]);
  });

  it("asks once the call's input is known, and reports the answer before the command runs", async () => {
    const events = await read("serve.h_permission_approve.sse");
    const shown = types(events).filter((type) => /^(tool_call_ready|approval|shell_start)/.test(type));
    expect(shown).toEqual(["tool_call_ready", "approval_request", "approval_granted", "shell_start"]);
    expect(all(events, "approval_request")).toMatchObject([
      { action: "bash", detail: "touch approved.txt", riskLevel: "high", toolCallId: "call_h1" },
    ]);
  });

  it("reports no output for a command without output", async () => {
    expect(types(await read("serve.h_permission_approve.sse"))).not.toContain("shell_stdout_delta");
    expect(types(await read("acp.h_permission_approve.acp"))).not.toContain("shell_stdout_delta");
  });

  it("reports a refusal as the answer to its question", async () => {
    const events = await eventsOf(opencode, `${version}/serve.h_permission_approve.sse.jsonl`, (lines) =>
      lines.map((line) =>
        line
          .replace('"reply":"once"', '"reply":"reject"')
          .replace('"status":"completed"', '"status":"error","error":"The user rejected permission to use this tool."'),
      ),
    );
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "cancelled" }]);
    expect(types(events)).not.toContain("shell_start");
  });

  it("reports questions to the user", async () => {
    expect(all(await read("serve.h_question.sse"), "input_required")).toMatchObject([
      { question: "Which colour?", source: "tool", context: expect.stringContaining("Blue") },
    ]);
  });

  it("reports what a subagent does as a run of its own", async () => {
    const events = await read("serve.i_subagent.sse");
    const [spawn] = all(events, "subagent_spawn");
    const child = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(all(child, "session_start")).toMatchObject([{ sessionId: "ses_e23313862ffer8pw0htre0iV34" }]);
    expect(all(child, "shell_start")).toMatchObject([{ command: "ls src | wc -l" }]);
    expect(text(child)).toEqual(["There is 1 file."]);
    expect(all(child, "session_end")).toMatchObject([{ turnCount: 2 }]);
    expect(text(events.filter((event) => !child.includes(event)))).toEqual(["The subagent counted 1 file."]);
  });

  it("reports a plan as the call that writes it", async () => {
    const events = await read("serve.j_todo.sse");
    expect(tools(events)).toEqual(["todowrite todo_write"]);
    expect(JSON.stringify(all(events, "tool_call_ready"))).toContain("Write the fix");
  });

  it("reports retries with their delay, and rate limits", async () => {
    const limited = await read("serve.k_429_retry.sse");
    expect(all(limited, "rate_limited")).toHaveLength(1);
    const [retry] = all(limited, "retry");
    expect(retry).toMatchObject({ attempt: 1, reason: "Rate limit reached" });
    expect(retry?.delayMs).toBeGreaterThan(1_000);
    expect(retry?.delayMs).toBeLessThan(5_000);
    expect(text(limited)).toEqual(["Recovered after the retry."]);
    const overloaded = await read("serve.k_500_retry.sse");
    expect(all(overloaded, "retry").map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(types(overloaded)).not.toContain("rate_limited");
  });

  it("ends a run once, by a failure or an abort, although the server repeats it", async () => {
    expect(types(await read("serve.k_401.sse")).filter((type) => type !== "debug")).toEqual([
      "session_start",
      "auth_error",
      "session_end",
    ]);
    const aborted = await read("serve.l_abort_text.sse");
    expect(all(aborted, "interrupted")).toHaveLength(1);
    expect(all(aborted, "session_end")).toHaveLength(1);
    const partial = linesOf(`${version}/serve.l_abort_text.sse.jsonl`).flatMap((line) => {
      const { type, properties } = JSON.parse(line);
      return type === "message.part.delta" ? [properties.delta as string] : [];
    });
    expect(text(aborted)).toEqual([partial.join("")]);
  });

  it("recovers from a context that is too long, without the summary in the answer", async () => {
    const sessionID = "ses_1";
    const event = (type: string, properties: object) =>
      JSON.stringify({ type, properties: { sessionID, ...properties } });
    const message = (id: string, more: object) => event("message.updated", { info: { id, sessionID, ...more } });
    const part = (messageID: string, type: string, more: object = {}) =>
      event("message.part.updated", { part: { id: `${messageID}-${type}`, sessionID, messageID, type, ...more } });
    const call = (id: string, text: string) => [
      part(id, "step-start"),
      part(id, "text", { text, time: { start: 1, end: 2 } }),
      part(id, "step-finish", { reason: "stop", tokens: { input: 5, output: 1 }, cost: 0.5 }),
    ];
    const events = await eventsOfLines(opencode, [
      event("session.created", { info: { id: sessionID } }),
      message("m1", { role: "user" }),
      event("session.error", { error: { name: "ContextOverflowError", data: { message: "too long" } } }),
      message("m2", { role: "assistant", mode: "compaction", summary: true }),
      ...call("m2", "What was said."),
      event("session.compacted", {}),
      message("m3", { role: "assistant" }),
      ...call("m3", "After."),
      event("session.idle", {}),
    ]);
    expect(all(events, "error")).toMatchObject([{ code: "CONTEXT_EXCEEDED", recoverable: true }]);
    expect(all(events, "context_compacted")).toMatchObject([{ summary: "What was said." }]);
    expect(text(events)).toEqual(["After."]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2, cost: { totalUsd: 1, inputTokens: 10 } }]);
    expect(violationsOf(events)).toEqual([]);
  });

  it("reports a second session as a second run", async () => {
    const lines = ["serve.b_thinking.sse", "serve.c_shell_ok.sse"].flatMap((name) =>
      linesOf(`${version}/${name}.jsonl`),
    );
    const events = await eventsOfLines(opencode, lines);
    expect(all(events, "session_start").map(({ sessionId }) => sessionId)).toEqual([
      "ses_e2332a6b6ffe6gbaMnlDJIH4e8",
      "ses_e23329176ffepfLvtD2bqRkf6X",
    ]);
    expect(violationsOf(events)).toEqual([]);
  });

  it("crashes if a prompt has no end", async () => {
    const cut = await eventsOf(opencode, `${version}/serve.c_shell_ok.sse.jsonl`, (lines) => lines.slice(0, 20));
    expect(all(cut, "crash")).toMatchObject([{ exitCode: 0 }]);
  });

  it("continues an earlier session, counting its turns without repeating them", async () => {
    const copy = await read("serve.m_fork.sse");
    expect(all(copy, "session_resume")).toMatchObject([{ priorTurnCount: 3 }]);
    expect(all(copy, "turn_start")).toHaveLength(1);
    expect(types(copy)).not.toContain("tool_call_ready");
    expect(all(await read("serve.m_second_turn.sse"), "session_start")).toMatchObject([{ resumed: true }]);
  });

  it("reports a checkpoint when a session is reverted", async () => {
    const events = await read("serve.m_revert.sse");
    expect(all(events, "session_checkpoint")).toMatchObject([
      { checkpointId: "89645103155108de1f7bf6228a528104e9e57cbb" },
    ]);
    expect(JSON.stringify(all(events, "debug"))).toContain("deleted file mode");
  });

  it("reports a command that the user ran without the model", async () => {
    const events = await read("serve.n_user_shell.sse");
    expect(all(events, "shell_start")).toMatchObject([{ command: "echo user shell" }]);
    expect(types(events)).not.toContain("token_usage");
  });
});

describe("OpenCode over ACP", () => {
  it("reports commands, plans, subagents and tools of MCP servers by their names", async () => {
    expect(tools(await read("acp.c_shell_ok.acp"))).toEqual(["bash shell"]);
    expect(tools(await read("acp.j_todo.acp"))).toEqual(["todowrite todo_write"]);
    expect(all(await read("acp.i_subagent.acp"), "subagent_spawn")).toMatchObject([{ agentName: "general" }]);
    const events = await read("acp.g_mcp.acp");
    expect(all(events, "mcp_tool_result")).toMatchObject([{ server: "fixture", toolName: "lookup" }]);
    expect(all(events, "mcp_tool_error")).toMatchObject([{ error: "explode failed: test" }]);
  });

  it("is launched with rules that make it ask, except with auto", () => {
    const [live] = opencode.dialects.flatMap((dialect) => dialect.live ?? []);
    const rulesFor = (approve: "ask" | "auto" | "deny") =>
      live?.launch({ prompt: "", cwd: "/", approve }).set?.OPENCODE_PERMISSION;
    expect(rulesFor("auto")).toBeUndefined();
    for (const approve of ["ask", "deny"] as const) {
      expect(JSON.parse(rulesFor(approve) ?? "")).toMatchObject({ "*": "ask", task: "deny" });
    }
  });
});

describe("OpenCode's errors", () => {
  const failing = (name: string, data: object) =>
    eventsOfLines(opencode, [JSON.stringify({ type: "error", sessionID: "ses_1", error: { name, data } })], {
      code: 1,
      signal: null,
    });

  it.each([
    ["ProviderAuthError", { message: "no key" }, "auth_error"],
    ["APIError", { message: "slow down", statusCode: 429 }, "rate_limit_error"],
    ["APIError", { message: "nobody home", statusCode: 500 }, "error"],
    ["ContextOverflowError", { message: "at most 128000 tokens, not 140000" }, "context_exceeded"],
    ["MessageAbortedError", { message: "Aborted" }, "interrupted"],
    ["constructor", {}, "error"],
  ])("%s %o ends as %s", async (name, data, type) => {
    expect(types(await failing(name, data))).toEqual(["session_start", type, "session_end"]);
  });
});
