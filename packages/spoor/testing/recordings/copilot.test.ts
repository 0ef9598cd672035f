import { readFileSync } from "node:fs";
import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { copilot } from "../../src/agents/copilot/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines, recordingsOf } from "../run/recordings.ts";

describeRecordings(copilot);

const read = (name: string) => eventsOf(copilot, `copilot/1.0.102/${name}.jsonl`);

function all<T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] {
  return events.filter((event): event is AgentEventOf<T> => event.type === type);
}

const text = (events: readonly AgentEvent[]) => all(events, "message_stop").map((event) => event.text);
const tools = (events: readonly AgentEvent[]) =>
  all(events, "tool_call_ready").map(({ toolName, toolKind }) => `${toolName} ${toolKind}`);
const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type).filter((type) => type !== "debug");
const linesOf = (name: string) =>
  readFileSync(new URL(`../../fixtures/copilot/1.0.102/${name}.jsonl`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "");

describe("Copilot's dialects", () => {
  it("are distinguished by their first lines", () => {
    for (const recording of recordingsOf("copilot")) {
      const lines = linesOf(recording.replace(/^copilot\/1.0.102\/|\.jsonl$/g, ""));
      const name = recording.endsWith(".sdk.jsonl") ? "server" : recording.endsWith(".acp.jsonl") ? "acp" : "json";
      expect(chooseDialect(copilot, lines.slice(0, 40)).name, recording).toBe(name);
      expect(chooseDialect(copilot, lines.slice(1, 41)).name, recording).toBe(name);
    }
  });

  it("report a process that exits without output", async () => {
    expect(types(await eventsOfLines(copilot, []))).toEqual(["session_start", "crash", "session_end"]);
    const cut = await eventsOf(copilot, "copilot/1.0.102/plain_text.jsonl", (lines) => lines.slice(0, -1));
    expect(all(cut, "crash")).toMatchObject([{ exitCode: 0 }]);
    const killed = await eventsOfLines(copilot, linesOf("files.sdk").slice(0, 60), { code: null, signal: "SIGKILL" });
    expect(all(killed, "crash")).toMatchObject([{ exitCode: -1 }]);
  });
});

describe("Copilot's events", () => {
  it("may have the names of built-in object properties", async () => {
    const named = (type: string) =>
      JSON.stringify({
        method: "session.event",
        jsonrpc: "2.0",
        params: { sessionId: "s", event: { type, data: {} } },
      });
    const events = await eventsOfLines(copilot, ["constructor", "toString", "session.idle"].map(named));
    expect(types(events)).toEqual(["session_start", "session_end"]);
    expect(all(events, "debug")).toHaveLength(2);
  });
});

describe("Copilot's server", () => {
  it("streams thoughts and text, and reports tokens", async () => {
    const events = await read("plain_text.sdk");
    expect(all(events, "session_start")).toMatchObject([
      { sessionId: "fcb624b0-f58a-408b-844c-198ba76051b0", resumed: false },
    ]);
    expect(all(events, "thinking_delta").map(({ delta }) => delta)).toEqual(["Let me ", "think."]);
    expect(text(events)).toEqual(["Hello from the server mode."]);
    expect(all(events, "text_delta")).toHaveLength(5);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 1200, outputTokens: 30, thinkingTokens: 10 }]);
    expect(all(events, "turn_end")).toMatchObject([{ stopReason: "stop" }]);
    expect(types(events)).not.toContain("stream_fallback");
  });

  it("asks before a command, and the command begins with the answer", async () => {
    const events = await read("shell_approved.sdk");
    const order = ["tool_call_ready", "approval_request", "approval_granted", "shell_start", "shell_exit"];
    expect(types(events).filter((type) => order.includes(type))).toEqual(order);
    expect(
      all(events, "tool_input_delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe('{"command":"printf \\"a\\\\nb\\\\n\\"; touch x","description":"run it"}');
    expect(all(events, "shell_start")).toMatchObject([
      { command: 'printf "a\\nb\\n"; touch x', cwd: "/home/user/project" },
    ]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["a\n", "b\n"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
  });

  it("does not report a refused command as run, and continues", async () => {
    const events = await read("shell_denied.sdk");
    expect(all(events, "approval_denied")).toMatchObject([{ reason: "Not today." }]);
    expect(all(events, "tool_error")).toMatchObject([{ toolName: "bash", outcome: "cancelled" }]);
    expect(types(events)).not.toContain("shell_start");
    expect(text(events)).toEqual(["Then not."]);
  });

  it("asks once for each file of a patch", async () => {
    const events = await read("files_apply_patch.sdk");
    expect(all(events, "approval_request").map(({ detail }) => detail)).toEqual([
      "/home/user/project/a.txt",
      "/home/user/project/b.txt",
    ]);
    expect(all(events, "approval_granted")).toHaveLength(2);
    expect(all(events, "file_patch")).toMatchObject([
      { path: "/home/user/project/a.txt", diff: expect.stringContaining("\n-two\n+2\n") },
    ]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/b.txt", byteCount: 4 }]);
  });

  it("reports what was read, changed and created", async () => {
    const events = await read("files.sdk");
    expect(tools(events)).toEqual(["view file_read", "edit edit", "create file_write"]);
    expect(all(events, "approval_request").map(({ riskLevel }) => riskLevel)).toEqual(["low", "medium", "medium"]);
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/src/app.js" }]);
    expect(all(events, "file_patch")).toMatchObject([
      {
        path: "/home/user/project/src/app.js",
        diff: expect.stringMatching(/^--- a\/home\/user\/project\/src\/app\.js\n\+\+\+ b\/.*\n@@ -1,5 \+1,5 @@\n/),
      },
    ]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/new.js", byteCount: 26 }]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 4 }]);
  });

  it("reports a question once although Copilot sends it twice", async () => {
    const events = await read("ask_user.sdk");
    expect(all(events, "input_required")).toMatchObject([{ question: "Which color?", context: "- Red\n- Blue" }]);
    expect(all(events, "tool_result")).toMatchObject([{ toolName: "ask_user", output: "User selected: Blue" }]);
  });

  it("distinguishes an MCP tool's own failure from a failed server", async () => {
    const events = await read("mcp.sdk");
    expect(all(events, "mcp_tool_result")).toMatchObject([{ server: "demo", toolName: "add", output: "sum = 5" }]);
    expect(all(events, "mcp_tool_error")).toMatchObject([
      { server: "demo", toolName: "fail", error: "MCP server 'demo': demo failure: because", protocol: false },
    ]);
    expect(types(events)).not.toContain("tool_call_start");
  });

  it("reports a subagent as a run of its own, its questions too", async () => {
    const events = await read("subagent.sdk");
    const [spawn] = all(events, "subagent_spawn");
    const child = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(spawn).toMatchObject({ agentName: "general-purpose", prompt: "SUBTASK: look around." });
    expect(all(child, "approval_request")).toMatchObject([{ detail: "echo from below; exit 3" }]);
    expect(all(child, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(all(child, "session_end")).toMatchObject([{ turnCount: 2 }]);
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "Nothing below." }]);
    expect(text(events.filter((event) => !child.includes(event)))).toEqual(["All is told."]);
  });

  it("continues when a subagent in the background reports", async () => {
    const events = await read("subagent_background.sdk");
    const [spawn] = all(events, "subagent_spawn");
    const own = events.filter(({ runId }) => runId !== spawn?.childRunId);
    expect(all(events, "subagent_result")).toMatchObject([{ agentName: "explore", summary: "greet is in app" }]);
    expect(text(own)).toEqual(["Waiting.", "All done."]);
    expect(all(own, "session_end")).toMatchObject([{ turnCount: 3 }]);
  });

  it("reports a compaction and its tokens", async () => {
    const events = await read("compaction.sdk");
    expect(all(events, "context_limit_warning")).toMatchObject([{ pctUsed: 83 }]);
    expect(all(events, "context_compacted")).toMatchObject([
      { summary: "All summed." },
      { summary: "4 messages were left out." },
      { summary: "Done one." },
    ]);
  });

  it("ends a command in the background with its call", async () => {
    const events = await read("shell_async.sdk");
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: -1 }]);
    expect(tools(events)).toEqual(["bash shell", "read_bash shell"]);
    expect(all(events, "tool_result").at(-1)?.output).toContain("late\n");
  });

  it("reports a skill once although Copilot sends it twice", async () => {
    const events = await read("skill.sdk");
    expect(all(events, "skill_invoked")).toMatchObject([{ skillName: "demo" }]);
    expect(all(events, "skill_loaded").map(({ skillName }) => skillName)).toContain("demo");
  });

  it.each(["abort.sdk", "abort_in_tool.sdk"])("is interrupted: %s", async (name) => {
    expect(types(await read(name)).slice(-2)).toEqual(["interrupted", "session_end"]);
  });

  it.each([
    ["error_401.sdk", "auth_error", 2],
    ["no_auth.sdk", "auth_error", 0],
    ["resume_unknown.sdk", "error", 0],
  ])("fails: %s is %s after %i retries", async (name, type, retries) => {
    const events = await read(name);
    expect(types(events).at(-2)).toBe(type);
    expect(all(events, "retry")).toHaveLength(retries);
  });

  it("names an unknown session", async () => {
    const [error] = all(await read("resume_unknown.sdk"), "error");
    expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", message: expect.stringContaining("11111111-2222") });
  });

  it("reports further prompts in the same run, also after a resume", async () => {
    expect(text(await read("two_turns.sdk"))).toEqual(["First.", "Second."]);
    const events = await read("resume.sdk");
    expect(text(events)).toEqual(["I will remember 7.", "The number is 7."]);
    expect(all(events, "session_start")).toHaveLength(1);
  });

  it("is read the same from a recording of its output alone", async () => {
    const events = await eventsOf(copilot, "copilot/1.0.102/shell_approved.sdk.jsonl", (lines) =>
      lines.filter((line) => line.startsWith('{"dir":"out"')),
    );
    expect(all(events, "approval_granted")).toHaveLength(1);
    expect(text(events)).toEqual(["Running.", "Ran it."]);
  });
});

describe("Copilot's JSON", () => {
  it("is complete although pieces in the middle are missing", async () => {
    const words = Array.from({ length: 3000 }, (_, n) => `word${n}`);
    const events = await read("long_3000");
    expect(text(events)).toHaveLength(1);
    expect(text(events)[0]?.split(/\s+/).filter(Boolean)).toEqual(words);
    expect(all(events, "stream_fallback")).toMatchObject([{ capability: "text" }]);
  });

  it("reports the pieces of a message that was cut short", async () => {
    expect(text(await read("interrupt_sigint"))).toEqual(["one two three four five"]);
    const events = await read("error_stream_cut");
    expect(text(events)).toEqual(["This will be cut", "Second attempt is whole."]);
    expect(all(events, "retry")).toMatchObject([{ attempt: 1, reason: expect.stringContaining("unexpected EOF") }]);
  });

  it("reports what a command printed, stream by stream", async () => {
    const events = await read("shell_slow_stdout");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([1, 2, 3, 4].map((n) => `tick ${n}\n`));
    expect(all(events, "shell_stderr_delta").map(({ delta }) => delta)).toEqual([1, 2, 3, 4].map((n) => `err ${n}\n`));
  });

  it("takes the output of a command from its result if it was not streamed", async () => {
    const events = await eventsOf(copilot, "copilot/1.0.102/shell_slow_stdout.jsonl", (lines) =>
      lines.filter((line) => !line.includes('"tool.shell_output"')),
    );
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "tick 1\nerr 1\ntick 2\nerr 2\nerr 3\ntick 3\nerr 4\ntick 4",
    ]);
  });

  it("reports a refusal without a question, and no command", async () => {
    const events = await read("permission_headless_denied");
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "blocked" }]);
    expect(types(events)).not.toContain("shell_start");
  });

  it("reports plans, skills, images and subagents", async () => {
    expect(tools(await read("todo"))).toEqual(["sql todo_write", "sql todo_write", "sql todo_write"]);
    expect(all(await read("skill"), "skill_invoked")).toMatchObject([{ skillName: "demo" }]);
    expect(all(await read("attachment_image"), "image_input_ack")).toMatchObject([{ mimeType: "image/png" }]);
    expect(all(await read("subagent_background"), "subagent_result")).toMatchObject([
      { agentName: "explore", summary: "greet is in src/app.js" },
    ]);
  });

  it("reports the session at its end", async () => {
    const events = await read("plain_text");
    const { sessionId } = JSON.parse(linesOf("plain_text").at(-1) ?? "{}");
    expect(all(events, "session_start")[0]?.sessionId).toMatch(/^transient-/);
    expect(all(events, "debug")).toContainEqual(
      expect.objectContaining({ message: `The agent's session is ${sessionId}.` }),
    );
  });

  it.each([
    ["autopilot_max", "turn_limit"],
    ["error_401", "auth_error"],
    ["error_503_always", "error"],
    ["error_context", "context_exceeded"],
    ["interrupt_in_tool", "interrupted"],
  ])("ends: %s is %s", async (name, type) => {
    expect(types(await read(name)).at(-2)).toBe(type);
  });

  it("reports limits and retries, and continues", async () => {
    const events = await read("error_429_retry_ok");
    expect(types(events).filter((type) => type === "rate_limited" || type === "retry")).toEqual([
      "rate_limited",
      "retry",
    ]);
    expect(text(events)).toEqual(["Recovered after a rate limit."]);
  });
});
