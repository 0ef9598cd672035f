import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { omp } from "../../src/agents/omp/index.ts";
import { pi } from "../../src/agents/pi/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines, violationsOf } from "../run/recordings.ts";

describeRecordings(pi);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(pi, `pi/0.87.1/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);

const lines = (...frames: object[]): string[] => frames.map((frame) => JSON.stringify(frame));

describe("pi in json mode", () => {
  it("reports the session, the streamed text and what it cost", async () => {
    const events = await recorded("a_text");
    const text =
      "Hello! This is a plain answer that is streamed in many small pieces so that every piece becomes its own delta.";
    expect(all(events, "session_start")).toMatchObject([
      { sessionId: "01a1dccb-fd2e-77af-aaa9-bde132899057", resumed: false },
    ]);
    expect(all(events, "message_stop").map((event) => event.text)).toEqual([text]);
    expect(
      all(events, "text_delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(text);
    expect(all(events, "turn_start")).toMatchObject([{ model: "fake-model", provider: "fake" }]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 1200, outputTokens: 34 }]);
    expect(all(events, "session_end")).toMatchObject([
      { turnCount: 1, cost: { totalUsd: 0.0012679999999999998, source: "agent_reported" } },
    ]);
  });

  it("separates thinking from text although its end comes after the text began", async () => {
    const events = await recorded("b_thinking");
    expect(all(events, "thinking_stop").map(({ thinking }) => thinking)).toEqual([
      "The user wants a greeting. I should keep it short and friendly.",
    ]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["Hi there."]);
    expect(all(events, "token_usage")).toMatchObject([{ thinkingTokens: 12 }]);
  });

  it("reports the growing output of a command once", async () => {
    const events = await recorded("c_shell_ok");
    const command = "printf 'line one\\nline two\\n'; sleep 1; echo line three";
    expect(all(events, "tool_call_ready")).toMatchObject([
      { toolCallId: "call_c1", toolName: "bash", toolKind: "shell", input: { command } },
    ]);
    expect(all(events, "shell_start")).toMatchObject([{ command }]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "line one\nline two\n",
      "line three\n",
    ]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    expect(all(events, "tool_result")).toMatchObject([{ output: "line one\nline two\nline three\n" }]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual([
      "Running it.",
      "The command printed three lines.",
    ]);
    expect(all(events, "turn_end").map(({ stopReason }) => stopReason)).toEqual(["toolUse", "stop"]);
    expect(all(events, "cost").at(-1)?.cost).toMatchObject({ totalUsd: 0.0025359999999999996, inputTokens: 2400 });
  });

  it("reads the exit code of a command from the line below its output", async () => {
    const events = await recorded("d_shell_fail");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["out\n", "oops\n"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "failed", toolCallId: "call_d1" }]);
  });

  it("reports what was read, patched and written", async () => {
    const events = await recorded("e_files");
    expect(all(events, "file_read")).toMatchObject([{ path: "src/greet.txt", toolCallId: "call_e1" }]);
    expect(all(events, "file_patch")).toMatchObject([
      {
        path: "src/greet.txt",
        diff: "--- a/src/greet.txt\n+++ b/src/greet.txt\n@@ -1,3 +1,3 @@\n hello\n-world\n+planet\n foo\n",
      },
    ]);
    expect(all(events, "file_write")).toMatchObject([{ path: "src/new.txt", byteCount: 15 }]);
    expect(all(events, "turn_start")).toHaveLength(4);
  });

  it("reports no change of a file for an edit that failed", async () => {
    const events = await recorded("e_edit_fail");
    expect(all(events, "tool_error")[0]?.error).toMatch(/^Could not find the exact text in src\/greet\.txt/);
    expect(all(events, "file_patch")).toEqual([]);
  });

  it("separates parallel calls, in the order in which they end", async () => {
    const events = await recorded("f_parallel");
    expect(all(events, "tool_call_start").map(({ toolCallId }) => toolCallId)).toEqual(["call_f1", "call_f2"]);
    expect(all(events, "tool_result").map(({ toolCallId, output }) => [toolCallId, output])).toEqual([
      ["call_f2", "second\n"],
      ["call_f1", "first\n"],
    ]);
  });

  it("reports no command if the input was invalid", async () => {
    const events = await recorded("f_invalid_args");
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "failed" }]);
    expect(all(events, "shell_start")).toEqual([]);
  });

  it("reports a call that an extension blocked as refused, not as run", async () => {
    const events = await recorded("h_extension_block_json");
    expect(all(events, "approval_denied")).toMatchObject([{ reason: "Blocked by user" }]);
    expect(all(events, "tool_error")).toMatchObject([{ error: "Blocked by user", outcome: "blocked" }]);
    expect(all(events, "shell_start")).toEqual([]);
  });

  it("classifies tools, those of extensions too", async () => {
    const kinds = async (name: string) =>
      all(await recorded(name), "tool_call_ready").map(({ toolName, toolKind }) => [toolName, toolKind]);
    expect(await kinds("j_todo_extension")).toEqual([["todo", "todo_write"]]);
    expect(await kinds("e_ls_grep_find")).toEqual([["ls", "glob"]]);
    expect(await kinds("p_image")).toEqual([["read", "file_read"]]);
  });

  it("retries a failed call and ends with the last failure", async () => {
    const events = await recorded("k_500_retry");
    expect(all(events, "retry").map(({ attempt, maxAttempts, delayMs }) => [attempt, maxAttempts, delayMs])).toEqual([
      [1, 3, 500],
      [2, 3, 1000],
      [3, 3, 2000],
    ]);
    expect(all(events, "error").map(({ recoverable }) => recoverable)).toEqual([true, true, true, false]);
    expect(all(events, "error").at(-1)?.message).toBe('503: {"message":"Overloaded","type":"overloaded_error"}');
    expect(types(events).at(-1)).toBe("session_end");
    expect(all(events, "turn_start")).toHaveLength(4);
  });

  it("reports why the model stopped early", async () => {
    expect(all(await recorded("k_length"), "turn_end")).toMatchObject([{ stopReason: "length" }]);
  });

  it("reports from which session one was forked", async () => {
    expect(all(await recorded("m_fork"), "session_fork")).toMatchObject([
      { sessionId: "01a1dcd0-a4f3-7485-be1a-fdb84707977a", forkedFrom: "01a1dcd0-1c85-741b-bee9-4a13076513a4" },
    ]);
  });

  it("reports the instructions that were read at the start, before the first turn", async () => {
    const events = await recorded("r_agents_skill");
    expect(all(events, "agentdoc_read")).toMatchObject([{ path: "/home/user/project/AGENTS.md" }]);
    expect(types(events).indexOf("agentdoc_read")).toBeLessThan(types(events).indexOf("turn_start"));
  });

  it("keeps line separators, escapes and code points as they are", async () => {
    const events = await recorded("u_unicode");
    expect(all(events, "message_stop")[0]?.text).toContain("newline\nend\u2028sep.");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["\u001b[31mred\u001b[0m café\n"]);
  });

  it("crashes without its last frame, is interrupted by SIGINT, and fails to start without a key", async () => {
    const start = lines({ type: "session", version: 3, id: "s", cwd: "/w" }, { type: "agent_start" });
    expect(all(await eventsOfLines(pi, start), "crash")).toMatchObject([{ exitCode: 0 }]);
    expect(all(await eventsOfLines(pi, []), "crash")).toMatchObject([{ exitCode: 0 }]);
    expect(all(await eventsOfLines(pi, [], { code: 1, signal: null }), "crash")).toMatchObject([{ exitCode: 1 }]);
    const killed = await eventsOfLines(pi, start, { code: null, signal: "SIGINT" });
    expect(types(killed).slice(-2)).toEqual(["interrupted", "session_end"]);
    const machine = pi.dialects[1]?.createMachine();
    machine?.stderr?.("No API key found for anthropic.");
    expect(machine?.exit(1, null)).toMatchObject([{ kind: "fail", event: { type: "auth_error" } }]);
  });
});

describe("pi in rpc mode", () => {
  it("reads the session from the state that the client requested", async () => {
    const events = await recorded("rpc.a_text.rpc");
    expect(all(events, "session_start")).toMatchObject([{ sessionId: "01a1dcce-33b8-751a-a765-01cfdc642f37" }]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["Hello! A plain streamed answer over rpc."]);
    expect(types(events).at(-1)).toBe("session_end");
    expect(all(events, "crash")).toEqual([]);
  });

  it("reports an extension's question about a call, and the refusal", async () => {
    const events = await recorded("rpc.h_confirm_denied.rpc");
    const [request] = all(events, "approval_request");
    expect(request).toMatchObject({ action: "Run command?", detail: "touch denied.txt", toolCallId: "call_h2" });
    expect(all(events, "approval_denied")).toMatchObject([{ interactionId: request?.interactionId }]);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "cancelled" }]);
    expect(all(events, "shell_start")).toEqual([]);
  });

  it("runs the command once it is allowed", async () => {
    const events = await eventsOf(pi, "pi/0.87.1/rpc.h_confirm_denied.rpc.jsonl", (recording) =>
      recording
        .map((line) => line.replace('"confirmed":false', '"confirmed":true'))
        .map((line) =>
          line.replaceAll('"Blocked by user"', '"(no output)"').replace('"isError":true', '"isError":false'),
        ),
    );
    const order = types(events);
    expect(order.indexOf("approval_granted")).toBeLessThan(order.indexOf("shell_start"));
    expect(all(events, "shell_stdout_delta")).toEqual([]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
  });

  it("reports a choice as a question, and one between yes and no as a request for permission", async () => {
    const events = await recorded("rpc.h_select_command.rpc");
    expect(all(events, "input_required")).toMatchObject([{ question: "Pick one", context: "red, blue" }]);
    expect(all(events, "debug").map(({ message }) => message)).toContain("picked blue");
    const yes = await eventsOf(pi, "pi/0.87.1/rpc.h_select_command.rpc.jsonl", (recording) =>
      recording.map((line) =>
        line.replace('["red","blue"]', '["Yes","No"]').replace('"value":"blue"', '"value":"Yes"'),
      ),
    );
    expect(all(yes, "approval_request")).toMatchObject([{ action: "Pick one" }]);
    expect(all(yes, "approval_granted")).toHaveLength(1);
  });

  it("ends the run when all retries met the rate limit", async () => {
    const events = await recorded("rpc.k_429_retry.rpc");
    expect(all(events, "rate_limited")).toHaveLength(3);
    expect(all(events, "retry").map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 4000]);
    expect(all(events, "rate_limit_error").map(({ message }) => message)).toEqual([
      '429: {"message":"Rate limit reached","type":"rate_limit_error"}',
    ]);
  });

  it("ends with the failure if the retry is cancelled", async () => {
    const events = await recorded("rpc.k_abort_retry.rpc");
    expect(all(events, "retry")).toHaveLength(1);
    expect(all(events, "error")).toMatchObject([
      { message: '503: {"message":"Overloaded","type":"overloaded_error"}', recoverable: false },
    ]);
  });

  it("keeps text that was interrupted", async () => {
    const events = await recorded("rpc.l_abort_text.rpc");
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["I am going to talk for a long time"]);
    expect(all(events, "interrupted")).toHaveLength(1);
  });

  it("is interrupted during a command, after which pi makes one more, empty call", async () => {
    const events = await recorded("rpc.l_abort_tool.rpc");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["start\n"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: -1 }]);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "cancelled" }]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2 }]);
    expect(all(events, "interrupted")).toHaveLength(1);
    expect(all(events, "error")).toEqual([]);
  });

  it("reports steering and follow-up prompts in one run, and a refused prompt as a recoverable error", async () => {
    const events = await recorded("rpc.l_steer_followup.rpc");
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["Steered.", "Follow-up handled."]);
    expect(all(events, "session_start")).toHaveLength(1);
    expect(all(events, "error")).toMatchObject([{ recoverable: true }]);
    expect(all(events, "error")[0]?.message).toMatch(/^Agent is already processing\./);
    expect(all(events, "debug").filter(({ message }) => message.includes('"queue_update"'))).toHaveLength(4);
  });

  it("opens a run for every session it moves to, if the client requests its id", async () => {
    const events = await eventsOf(pi, "pi/0.87.1/rpc.m_sessions.rpc.jsonl", askFirst);
    const [first, fork] = ["01a1dcce-9f67-751a-a765-01e7d21dbf61", "01a1dcce-a401-751a-a765-01e92916d632"];
    expect(violationsOf(events)).toEqual([]);
    expect(
      all(events, "session_start").map(({ sessionId, resumed, forkedFrom }) => [sessionId, resumed, forkedFrom]),
    ).toEqual([
      [first, false, undefined],
      [fork, false, first],
      [first, true, undefined],
    ]);
    expect(all(events, "session_end").map(({ cost }) => cost?.inputTokens)).toEqual([2400, 1200, undefined]);
  });

  it("distinguishes a new session although nobody requested its id", async () => {
    const events = await eventsOf(pi, "pi/0.87.1/rpc.a_text.rpc.jsonl", (recording) => [
      ...recording,
      ...recording.slice(0, 2),
      ...recording.slice(4),
    ]);
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "session_start").map(({ sessionId }) => sessionId)).toEqual([
      "01a1dcce-33b8-751a-a765-01cfdc642f37",
      "transient-01a1dcce-33b8-751a-a765-01cfdc642f37-1",
    ]);
    expect(all(events, "session_end").map(({ cost }) => cost?.inputTokens)).toEqual([1200, 1200]);
    const late = "01a1dcce-ffff-751a-a765-01cfdc642f37";
    const told = await eventsOf(pi, "pi/0.87.1/rpc.a_text.rpc.jsonl", (recording) => [
      ...[...recording, ...recording.slice(0, 2), ...recording.slice(4, 29)],
      ...[...recording.slice(2, 4), ...recording.slice(4, 29)].map((line) =>
        line.replaceAll("01a1dcce-33b8-751a-a765-01cfdc642f37", late),
      ),
    ]);
    expect(all(told, "session_end").map(({ cost }) => cost?.inputTokens)).toEqual([1200, 2400]);
    expect(all(told, "debug").map(({ message }) => message)).toContain(`The agent's session is ${late}.`);
  });

  it("continues in another run after an interrupt, with its own cost", async () => {
    const events = await eventsOf(pi, "pi/0.87.1/rpc.l_abort_tool.rpc.jsonl", (recording) => [
      ...recording,
      ...recording.slice(2),
    ]);
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "session_start").map(({ resumed }) => resumed)).toEqual([false, true]);
    expect(all(events, "session_end").map(({ cost }) => cost?.inputTokens)).toEqual([1200, 1200]);
  });

  it("reports a compaction that failed as a recoverable error, and one that worked", async () => {
    const events = await recorded("rpc.n_compact.rpc");
    expect(all(events, "error")).toMatchObject([
      { message: "Compaction failed: Nothing to compact (session too small)", recoverable: true },
    ]);
    const result = { summary: "Kept the gist.", firstKeptEntryId: "e", tokensBefore: 150_000 };
    const worked = await eventsOfLines(
      pi,
      lines(
        { type: "agent_start" },
        { type: "compaction_start", reason: "threshold" },
        { type: "compaction_end", reason: "threshold", result, aborted: false, willRetry: false },
        { type: "agent_end", messages: [], willRetry: false },
        { type: "agent_settled" },
      ),
    );
    expect(all(worked, "context_limit_warning")).toHaveLength(1);
    expect(all(worked, "context_compacted")).toMatchObject([{ summary: "Kept the gist.", tokensSaved: 0 }]);
  });

  it("reports a refused prompt of an idle agent as the end of the run", async () => {
    const refusal = { type: "response", command: "prompt", success: false, error: "No API key found for anthropic." };
    const events = await eventsOfLines(pi, lines({ type: "queue_update" }, refusal));
    expect(all(events, "auth_error")).toMatchObject([
      { message: refusal.error, guidance: expect.stringContaining("/login") },
    ]);
  });

  it("ends normally when idle, and crashes when it dies at work", async () => {
    expect(types(await recorded("rpc.n_errors.rpc")).slice(-2)).toEqual(["session_start", "session_end"]);
    const working = await eventsOf(pi, "pi/0.87.1/rpc.a_text.rpc.jsonl", (recording) => recording.slice(0, 20));
    expect(all(working, "crash")).toHaveLength(1);
  });
});

describe("pi's failures and output", () => {
  const failing = async (errorMessage: string): Promise<AgentEvent | undefined> => {
    const message = { role: "assistant", content: [], stopReason: "error", errorMessage };
    const events = await eventsOfLines(
      pi,
      lines(
        { type: "agent_start" },
        { type: "turn_start" },
        { type: "message_start", message },
        { type: "message_end", message },
        { type: "turn_end", message, toolResults: [] },
        { type: "agent_end", messages: [], willRetry: false },
        { type: "agent_settled" },
      ),
    );
    return events.at(-2);
  };

  it("distinguishes failures that the user can fix", async () => {
    expect(await failing('401: {"message":"Incorrect API key provided"}')).toMatchObject({ type: "auth_error" });
    expect(await failing("429: slow down")).toMatchObject({ type: "rate_limit_error" });
    expect(await failing("prompt is too long: 210000 tokens > 200000 maximum")).toMatchObject({
      type: "context_exceeded",
      usedTokens: 210_000,
      maxTokens: 200_000,
    });
    expect(await failing("500: oops")).toMatchObject({ type: "error", recoverable: false });
  });

  it("follows output that drops its beginning", async () => {
    const show = (text: string) => ({
      type: "tool_execution_update",
      toolCallId: "c",
      toolName: "bash",
      partialResult: { content: [{ type: "text", text }] },
    });
    const shown = "2\n3\n4\n5\n\n\n[Showing lines 2-5 of 5. Full output: /tmp/x.log]";
    const events = await eventsOfLines(
      pi,
      lines(
        { type: "agent_start" },
        { type: "tool_execution_start", toolCallId: "c", toolName: "bash", args: { command: "seq 5" } },
        show("1\n2\n3\n"),
        show("2\n3\n4\n"),
        {
          type: "tool_execution_end",
          toolCallId: "c",
          toolName: "bash",
          result: { content: [{ type: "text", text: shown }] },
          isError: false,
        },
      ),
    );
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["1\n2\n3\n", "4\n", "5\n"]);
  });

  it("reports an extension that failed", async () => {
    const failure = { type: "extension_error", extensionPath: "/x/guard.ts", event: "tool_call", error: "boom" };
    const events = await eventsOfLines(pi, lines({ type: "agent_start" }, failure));
    expect(all(events, "plugin_error")).toMatchObject([{ pluginName: "guard.ts", error: "tool_call: boom" }]);
  });
});

/**
 * Written by hand from the documentation of that version: 0.73 repeats the message in every update and never settles.
 */
describe("pi 0.73", () => {
  const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 20, totalTokens: 135, cost: { total: 0.5 } };
  const call = { type: "toolCall", id: "call_1", name: "edit", arguments: { path: "a.txt" } };
  const message = (content: object[], more: object = {}) => ({
    role: "assistant",
    content,
    model: "m",
    provider: "p",
    usage,
    stopReason: "stop",
    ...more,
  });
  const update = (event: object, content: object[]) => ({
    type: "message_update",
    message: message(content),
    assistantMessageEvent: { ...event, partial: message(content) },
  });
  const failed = message([], { stopReason: "error", errorMessage: "529 overloaded", usage: {} });
  const failure = [
    { type: "agent_start" },
    { type: "turn_start" },
    { type: "message_start", message: failed },
    { type: "message_end", message: failed },
    { type: "turn_end", message: failed, toolResults: [] },
    { type: "agent_end", messages: [failed] },
  ];
  const header = { type: "session", version: 3, id: "old", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" };
  const retry = { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: "529 overloaded" };

  it("reads the calls inside the repeated message, and edits from a diff made for people", async () => {
    const diff = "  1 one\n- 2 two\n+ 2 zwei\n+ 3 drei\n    ...\n  9 nine\n-10 ten";
    const events = await eventsOfLines(
      pi,
      lines(
        header,
        { type: "agent_start" },
        { type: "turn_start" },
        { type: "message_start", message: message([]) },
        update({ type: "toolcall_start", contentIndex: 0 }, [{ ...call, arguments: {} }]),
        update({ type: "toolcall_delta", contentIndex: 0, delta: '{"path":"a.txt"}' }, [call]),
        update({ type: "toolcall_end", contentIndex: 0, toolCall: call }, [call]),
        { type: "message_end", message: message([call], { stopReason: "toolUse" }) },
        { type: "tool_execution_start", toolCallId: "call_1", toolName: "edit", args: { path: "a.txt" } },
        {
          type: "tool_execution_end",
          toolCallId: "call_1",
          toolName: "edit",
          result: { content: [{ type: "text", text: "Edited." }], details: { diff, firstChangedLine: 2 } },
          isError: false,
        },
        { type: "turn_end", message: message([call]), toolResults: [] },
        { type: "agent_end", messages: [] },
      ),
    );
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "tool_call_start")).toMatchObject([{ toolCallId: "call_1", toolKind: "edit" }]);
    expect(all(events, "tool_input_delta").map(({ delta }) => delta)).toEqual(['{"path":"a.txt"}']);
    expect(all(events, "file_patch").map((event) => event.diff)).toEqual([
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+zwei\n+drei\n@@ -9,2 +10,1 @@\n nine\n-ten\n",
    ]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 130, cachedTokens: 100 }]);
    expect(all(events, "crash")).toEqual([]);
  });

  it("ends only when no retry follows a failure", async () => {
    const answer = message([{ type: "text", text: "Back." }]);
    const events = await eventsOfLines(
      pi,
      lines(
        header,
        ...failure,
        retry,
        { type: "agent_start" },
        { type: "message_start", message: message([]) },
        update({ type: "text_delta", contentIndex: 0, delta: "Back." }, answer.content),
        { type: "message_end", message: answer },
        { type: "auto_retry_end", success: true, attempt: 1 },
        { type: "agent_end", messages: [answer] },
      ),
    );
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "error")).toMatchObject([{ recoverable: true, message: "529 overloaded" }]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["Back."]);
    expect(all(events, "session_end")).toHaveLength(1);
    const exhausted = await eventsOfLines(
      pi,
      lines(header, ...failure, { type: "auto_retry_end", success: false, attempt: 3, finalError: "529 overloaded" }),
    );
    const calledOff = await eventsOfLines(
      pi,
      lines(...failure, retry, { type: "auto_retry_end", success: false, attempt: 1, finalError: "Retry cancelled" }),
    );
    for (const ended of [exhausted, calledOff, await eventsOfLines(pi, lines(header, ...failure))]) {
      expect(all(ended, "error").at(-1)).toMatchObject({ recoverable: false });
      expect(all(ended, "crash")).toEqual([]);
    }
  });
});

describe("a command's output", () => {
  it.each([pi, omp])("is reported completely even if it looks like the agent's own remarks", async (agent) => {
    const output = `${"\n\nCommand exited with code 1".repeat(100_000)} or so it said`;
    const call = { toolCallId: "1", toolName: "bash" };
    const result = { content: [{ type: "text", text: `${output}\n\nCommand exited with code 3` }] };
    const events = await eventsOfLines(
      agent,
      lines(
        { type: "session", id: "s" },
        { type: "agent_start" },
        { type: "tool_execution_start", ...call, args: { command: "ls" } },
        { type: "tool_execution_end", ...call, result, isError: true },
      ),
    );
    const told = all(events, "shell_stdout_delta").map(({ delta }) => delta);
    expect(told.join("") === output).toBe(true);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
  });
});

describe("the dialects of pi", () => {
  const wireOf = (...frames: object[]): string => chooseDialect(pi, lines(...frames)).name;

  it("are distinguished by their first frames", () => {
    expect(wireOf({ type: "session", version: 3, id: "s", cwd: "/w" }, { type: "agent_start" })).toBe("json");
    expect(wireOf({ dir: "in", msg: { type: "get_state" } }, { dir: "out", msg: { type: "agent_start" } })).toBe("rpc");
    expect(wireOf({ type: "response", command: "new_session", success: true })).toBe("rpc");
    expect(
      wireOf(
        { type: "session", version: 3, id: "s", cwd: "/w" },
        { type: "message", id: "b", parentId: "a", message: { role: "user" } },
      ),
    ).toBe("session-log");
  });
});

/** The recording, changed so that the client requests the state before the first prompt. */
function askFirst(recording: string[]): string[] {
  const isState = (line: string): boolean => line.includes('"req-43"');
  const state = recording.filter(isState);
  return [...recording.slice(0, 2), ...state, ...recording.slice(2).filter((line) => !isState(line))];
}
