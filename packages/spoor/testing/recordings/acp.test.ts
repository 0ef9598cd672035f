import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownAcpAgents } from "../../src/agents/acp/acp-agents.ts";
import { acp } from "../../src/agents/acp/index.ts";
import { createAcpDialect } from "../../src/agents/dialects/acp/index.ts";
import type { HostFact } from "../../src/agents/host.ts";
import type { Adapter } from "../../src/agents/machine.ts";
import { findAdapter } from "../../src/agents/registry.ts";
import { assemble } from "../run/assemble.ts";
import { describeRecordings, eventsOf, eventsOfLines, recordingsOf, violationsOf } from "../run/recordings.ts";

describeRecordings(acp);

const read = (recording: string) => eventsOf(acp, `acp/${recording}.acp.jsonl`);

function all<T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] {
  return events.filter((event): event is AgentEventOf<T> => event.type === type);
}

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const text = (events: readonly AgentEvent[]) => all(events, "message_stop").map((event) => event.text);
const printed = (events: readonly AgentEvent[]) => all(events, "shell_stdout_delta").map((event) => event.delta);

describe("a prompt over ACP", () => {
  it("separates two messages to which the agent gives the same id", async () => {
    const events = await read("claude-agent-acp-0.99.0/turn");
    expect(text(events)).toEqual(["Running it.", "Done."]);
    expect(all(events, "turn_start")).toHaveLength(2);
    expect(all(events, "tool_call_ready")).toMatchObject([
      {
        toolName: "Bash",
        toolKind: "shell",
        input: { command: "touch made-by-agent.txt", description: "create file" },
      },
    ]);
    expect(all(events, "approval_request")).toMatchObject([
      { detail: "touch made-by-agent.txt", toolCallId: "toolu_1" },
    ]);
    expect(all(events, "approval_granted")).toHaveLength(1);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 20, outputTokens: 23 }]);
    expect(all(events, "session_end")).toMatchObject([
      { turnCount: 2, cost: { totalUsd: 0.00064, inputTokens: 20, outputTokens: 23, source: "agent_reported" } },
    ]);
  });

  it("ignores a prompt to a session that is not open", async () => {
    const events = await read("claude-agent-acp-0.99.0/turn");
    expect(all(events, "error")).toMatchObject([{ code: "SESSION_NOT_FOUND", recoverable: true }]);
    expect(all(events, "session_start")).toHaveLength(1);
  });

  it("ends as interrupted when cancelled, and the next prompt is another run", async () => {
    const events = await read("qwen-0.24.4/cancel_mid_text");
    expect(types(events).filter((type) => /^(session_|interrupted|message_stop)/.test(type))).toEqual([
      "session_start",
      "message_stop",
      "interrupted",
      "session_end",
      "session_start",
      "session_resume",
      "message_stop",
      "session_end",
    ]);
    expect(text(events)).toEqual(["one two three four", "Fresh answer."]);
  });

  it("reports a missing login and how to log in", async () => {
    for (const name of ["codex-acp-2.6.0/no-login", "claude-agent-acp-0.99.0/no-login", "qwen-0.24.4/error_401"]) {
      expect(all(await read(name), "auth_error"), name).toMatchObject([
        { guidance: expect.stringMatching(/offers: ./) },
      ]);
    }
  });

  it("crashes if no response comes", async () => {
    expect(all(await read("opencode-1.18.33/no-answer"), "crash")).toMatchObject([{ exitCode: 0 }]);
    expect(all(await eventsOfLines(acp, []), "crash")).toMatchObject([{ exitCode: 0 }]);
  });

  it("reports thoughts", async () => {
    const events = await read("qwen-0.24.4/thinking_text");
    expect(all(events, "thinking_stop").map(({ thinking }) => thinking)).not.toEqual([]);
    expect(text(events)).toEqual(["The answer is forty-two."]);
  });
});

describe("tools over ACP", () => {
  it("reports output as it grows, without the agent's remark after it", async () => {
    const copilot = await read("copilot-1.0.102/shell_slow_stdout");
    expect(printed(copilot)).toEqual(["tick 1\nerr 1\n", "tick 2\nerr 2\n", "err 3\ntick 3\n", "tick 4\nerr 4\n"]);
    expect(all(copilot, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    expect(printed(await read("omp-18.2.3/c_shell_ok")).join("")).toBe("line one\nline two\nline three\n");
    expect(printed(await read("openclaw-2026.9.6/c_shell_ok")).join("")).toBe("line one\nline two\n");
  });

  it("finds exit codes where each agent puts them", async () => {
    const opencode = await read("opencode-1.18.33/d_shell_fail");
    expect(all(opencode, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(types(opencode)).toContain("tool_result");
    const qwen = await read("qwen-0.24.4/shell_fail");
    expect(all(qwen, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(printed(qwen)).toEqual(["to-stdout\nto-stderr"]);
    expect(all(qwen, "tool_error")).toMatchObject([{ toolName: "run_shell_command", outcome: "failed" }]);
  });

  it("reports what was done to files", async () => {
    const events = await read("qwen-0.24.4/files_default_mode");
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/src/app.js" }]);
    expect(all(events, "file_patch")).toMatchObject([
      { path: "/home/user/project/src/app.js", diff: expect.stringContaining("+  return `Hi, $") },
    ]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/new.js", byteCount: 26 }]);
    expect(all(events, "tool_call_ready").map(({ toolName, toolKind }) => `${toolName} ${toolKind}`)).toEqual([
      "read_file file_read",
      "edit edit",
      "write_file file_write",
    ]);
    expect(all(events, "turn_start")).toHaveLength(4);
    expect(all(events, "token_usage")).toHaveLength(4);
  });

  it("asks twice about one call if the agent does, and keeps the model's own input", async () => {
    const events = await read("copilot-1.0.102/files_apply_patch");
    expect(all(events, "approval_request").map(({ toolCallId, detail }) => `${toolCallId} ${detail}`)).toEqual([
      "custom_call_apply_patch_10 Update file",
      "custom_call_apply_patch_10 Create file",
      "custom_call_apply_patch_11 Delete file",
    ]);
    expect(all(events, "approval_granted")).toHaveLength(3);
    expect(all(events, "tool_call_ready")[0]?.input).toContain("*** Update File: src/app.js");
    expect([...all(events, "file_patch"), ...all(events, "file_create")].map(({ path }) => path)).toEqual([
      "/home/user/project/src/app.js",
      "/home/user/project/README.md",
      "/home/user/project/src/new.js",
    ]);
  });

  it("does not report a refused command as run", async () => {
    for (const name of [
      "omp-18.2.3/h_permission_reject",
      "opencode-1.18.33/h_permission_reject",
      "qwen-0.24.4/shell_denied",
      "copilot-1.0.102/cancel_at_permission",
    ]) {
      const events = await read(name);
      expect(all(events, "tool_call_ready"), name).toMatchObject([
        { input: { command: expect.stringMatching(/^touch /) } },
      ]);
      expect(all(events, "approval_denied"), name).toHaveLength(1);
      expect(all(events, "tool_error"), name).toMatchObject([{ outcome: "cancelled" }]);
      expect(types(events), name).not.toContain("shell_start");
    }
  });

  it("closes calls that were running when the prompt was cancelled", async () => {
    const events = await read("omp-18.2.3/l_cancel_tool");
    expect(printed(events)).toEqual(["start\n"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: -1 }]);
    expect(types(events).slice(-2)).toEqual(["interrupted", "session_end"]);
  });

  it("reports a plan as a call of a to-do tool", async () => {
    const plans = all(await read("qwen-0.24.4/todo"), "tool_call_ready");
    expect(plans).toMatchObject([
      {
        toolName: "plan",
        toolKind: "todo_write",
        input: { entries: [{ status: "in_progress" }, { status: "pending" }] },
      },
      {
        toolName: "plan",
        toolKind: "todo_write",
        input: { entries: [{ status: "completed" }, { status: "in_progress" }] },
      },
    ]);
  });

  it("reports a subagent as a run of its own if the agent marks its output", async () => {
    const events = await read("qwen-0.24.4/subagent");
    const [spawn] = all(events, "subagent_spawn");
    expect(spawn).toMatchObject({ agentName: "general-purpose", prompt: "Find greet" });
    const child = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(all(child, "shell_start")).toMatchObject([{ command: "grep -rn greet src" }]);
    expect(text(child)).toEqual(["greet is in src/app.js"]);
    expect(all(child, "turn_start")).toHaveLength(2);
    const parent = events.filter(({ runId }) => runId !== spawn?.childRunId);
    expect(text(parent)).toEqual(["Investigated."]);
    expect(all(parent, "subagent_result")).toMatchObject([{ summary: "greet is in src/app.js" }]);
    expect(all(await read("opencode-1.18.33/i_subagent"), "session_start")).toHaveLength(1);
  });
});

describe("sessions over ACP", () => {
  it("reports neither the history nor the earlier cost of a session", async () => {
    const events = await read("opencode-1.18.33/m_load");
    expect(all(events, "session_start")).toMatchObject([
      { sessionId: "ses_e232d4a3fffe3ZMxVddJSsTm4z", resumed: true },
    ]);
    expect(text(events)).toEqual(["Turn after load."]);
    expect(types(events)).not.toContain("tool_call_start");
    expect(types(events)).not.toContain("cost");
    expect(text(await read("copilot-1.0.102/load_session"))).toEqual(["Looking.", "Done first.", "Second answer."]);
  });

  it("makes one run if several sessions are opened and one is prompted", async () => {
    const events = await read("opencode-1.18.33/m_list_fork");
    expect(all(events, "session_start")).toMatchObject([{ forkedFrom: "ses_e232d4a3fffe3ZMxVddJSsTm4z" }]);
    expect(text(events)).toEqual(["Turn in fork."]);
  });
});

describe("behaviour that no recording contains", () => {
  const line = (dir: "in" | "out", message: object) => JSON.stringify({ dir, msg: { jsonrpc: "2.0", ...message } });
  const update = (fields: object) =>
    line("out", { method: "session/update", params: { sessionId: "s", update: fields } });
  const opening = [
    line("in", { id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } }),
    line("out", { id: 1, result: { sessionId: "s" } }),
    line("in", { id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } }),
  ];
  const stop = (stopReason: string) => line("out", { id: 2, result: { stopReason } });

  it("a terminal of the client runs the call's command", async () => {
    const params = { sessionId: "s", terminalId: "t" };
    const call = { toolCallId: "c", title: "Tests", kind: "execute" };
    const content = [{ type: "terminal", terminalId: "t" }];
    const events = await eventsOfLines(acp, [
      ...opening,
      line("out", { id: 0, method: "terminal/create", params: { command: "npm", args: ["test"], cwd: "/w/a" } }),
      line("in", { id: 0, result: { terminalId: "t" } }),
      update({ sessionUpdate: "tool_call", ...call, status: "in_progress", content }),
      line("out", { id: 1, method: "terminal/output", params }),
      line("in", { id: 1, result: { output: "1 ok\n", truncated: false } }),
      line("out", { id: 2, method: "terminal/wait_for_exit", params }),
      line("in", { id: 2, result: { exitCode: 5 } }),
      line("out", { id: 3, method: "terminal/output", params }),
      line("in", { id: 3, result: { output: "1 ok\n2 failed\n", exitStatus: { exitCode: 5 } } }),
      update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" }),
      stop("end_turn"),
    ]);
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "shell_start")).toMatchObject([{ command: "npm test", cwd: "/w/a" }]);
    expect(printed(events)).toEqual(["1 ok\n", "2 failed\n"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 5 }]);
  });

  it("a write of the client is reported with its call", async () => {
    const file = { sessionId: "s", path: "/w/a.txt" };
    const call = { toolCallId: "c", title: "Save", kind: "edit", status: "in_progress" };
    const events = await eventsOfLines(acp, [
      ...opening,
      update({ sessionUpdate: "tool_call", ...call }),
      line("out", { id: 0, method: "fs/read_text_file", params: file }),
      line("in", { id: 0, result: { content: "one\n" } }),
      line("out", { id: 1, method: "fs/write_text_file", params: { ...file, content: "two\n" } }),
      line("in", { id: 1, result: null }),
      update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" }),
      stop("end_turn"),
    ]);
    expect(all(events, "file_patch")).toMatchObject([
      { path: "/w/a.txt", diff: expect.stringContaining("-one\n+two\n") },
    ]);
  });

  it("updates may come before their call, and twice", async () => {
    const done = update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed", rawOutput: "x" });
    const events = await eventsOfLines(acp, [...opening, done, done, stop("end_turn")]);
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "tool_result")).toMatchObject([{ toolCallId: "c", output: "x" }]);
  });

  it.each([
    ["max_turn_requests", "turn_limit"],
    ["refusal", "error"],
    ["cancelled", "interrupted"],
  ])("a prompt stopped by %s ends the run with %s", async (reason, type) => {
    expect(types(await eventsOfLines(acp, [...opening, stop(reason)])).slice(-2)).toEqual([type, "session_end"]);
  });

  it("max_tokens is the turn's stop reason", async () => {
    const chunk = update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "cut" } });
    const events = await eventsOfLines(acp, [...opening, chunk, stop("max_tokens")]);
    expect(all(events, "turn_end")).toMatchObject([{ stopReason: "max_tokens" }]);
  });

  it("an elicitation is a question", async () => {
    const params = { sessionId: "s", mode: "form", message: "Which colour?", requestedSchema: { type: "object" } };
    const events = await eventsOfLines(acp, [...opening, line("out", { id: 0, method: "elicitation/create", params })]);
    expect(all(events, "input_required")).toMatchObject([{ question: "Which colour?", source: "agent" }]);
  });

  it("a recording of the agent's output alone can be read", async () => {
    const lines = [
      ...opening,
      ...["a", "b"].map((text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })),
      stop("end_turn"),
    ]
      .filter((one) => one.startsWith('{"dir":"out"'))
      .map((one) => JSON.stringify(JSON.parse(one).msg));
    const events = await eventsOfLines(acp, lines);
    expect(text(events)).toEqual(["ab"]);
    expect(all(events, "session_end")).toMatchObject([{ sessionId: "s", turnCount: 1 }]);
    expect(types(await eventsOfLines(acp, lines.slice(0, -1)))).toContain("crash");
  });
});

describe("the client's actions for the agent", () => {
  const message = (fields: object) => JSON.stringify({ jsonrpc: "2.0", ...fields });
  const update = (fields: object) => message({ method: "session/update", params: { sessionId: "s", update: fields } });
  const ids = ["c", "d"];
  const terminals = ["t", "u"];
  const lines = [
    ...ids.flatMap((toolCallId) => [
      ...["pending", "in_progress", "completed", "failed"].flatMap((status) =>
        ["execute", "edit", "other"].map((kind) =>
          update({ sessionUpdate: "tool_call", toolCallId, title: "x", kind, status }),
        ),
      ),
      ...terminals.map((terminalId) =>
        update({ sessionUpdate: "tool_call_update", toolCallId, content: [{ type: "terminal", terminalId }] }),
      ),
      message({ id: 1, method: "session/request_permission", params: { toolCall: { toolCallId }, options: [] } }),
    ]),
    message({ id: 2, method: "fs/write_text_file", params: { path: "/w/a", content: "x" } }),
    message({ id: 3, method: "fs/read_text_file", params: { path: "/w/a" } }),
    message({ id: 4, method: "terminal/create", params: { command: "ls" } }),
    ...["output", "wait_for_exit", "kill", "release"].flatMap((what) =>
      terminals.map((terminalId) => message({ id: 5, method: `terminal/${what}`, params: { terminalId } })),
    ),
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } }),
    message({ id: 9, result: { stopReason: "end_turn" } }),
  ];
  const frames = [
    { id: 1, result: { outcome: { outcome: "cancelled" } } },
    { id: 2, result: null },
    { id: 2, error: { code: -32603, message: "no" } },
    { id: 3, result: { content: "old" } },
    ...terminals.map((terminalId) => ({ id: 4, result: { terminalId } })),
    { id: 5, result: { output: "all so far", exitStatus: { exitCode: 1 } } },
    { id: 5, result: { exitCode: null, signal: "SIGKILL" } },
    { id: 5, result: {} },
    { id: 9, method: "session/prompt", params: { sessionId: "s", prompt: [] } },
  ];
  const facts: HostFact[] = [
    { kind: "wrote", path: "/w/a", existed: true, before: "before" },
    { kind: "wrote", path: "/w/a", existed: false },
    ...terminals.flatMap((terminal): HostFact[] => [
      { kind: "printed", terminal, stream: "stderr", text: "live\n" },
      { kind: "exited", terminal, exitCode: 2 },
    ]),
  ];

  /** Write requests that succeeded. */
  const writesDone = (steps: readonly ({ line: string } | { frame: object } | { fact: HostFact })[]): number => {
    let isAsked = false;
    let done = 0;
    for (const step of steps) {
      if ("line" in step && step.line.includes("fs/write_text_file")) isAsked = true;
      if (!("frame" in step) || !("id" in step.frame) || step.frame.id !== 2) continue;
      if (isAsked && "result" in step.frame) done += 1;
      isAsked = false;
    }
    return done;
  };

  it("keep the contract in any order, and each write is reported once", () => {
    const step = fc.oneof(
      fc.constantFrom(...lines).map((line) => ({ line })),
      fc.constantFrom(...frames).map((frame) => ({ frame: { jsonrpc: "2.0", ...frame } })),
      fc.constantFrom(...facts).map((fact) => ({ fact })),
    );
    const opening = { id: 0, method: "session/new", params: { cwd: "/w" } };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const machine = createAcpDialect({ launch: { command: "", args: [] } }).createMachine();
        const signals = [
          ...(machine.sent?.(opening) ?? []),
          ...machine.line(message({ id: 0, result: { sessionId: "s" } })),
          ...(machine.sent?.(frames.at(-1)) ?? []),
          ...steps.flatMap((one) => {
            if ("line" in one) return machine.line(one.line);
            return "frame" in one ? (machine.sent?.(one.frame) ?? []) : (machine.hosted?.(one.fact) ?? []);
          }),
          ...machine.exit(0, null),
        ];
        const events = assemble(signals);
        expect(violationsOf(events)).toEqual([]);
        const told = events.filter(({ type }) => /^file_(create|write|patch)$/.test(type));
        expect(told).toHaveLength(writesDone(steps));
      }),
      { numRuns: 300 },
    );
  });
});

describe("agents that speak only ACP", () => {
  it("have a program each and unique names", () => {
    const commands = knownAcpAgents.map(({ dialects }) => dialects[0]?.live?.command);
    expect(commands.every(Boolean)).toBe(true);
    expect(new Set(knownAcpAgents.map(({ name }) => name)).size).toBe(knownAcpAgents.length);
    for (const { name, dialects } of knownAcpAgents) expect(dialects[0]?.live?.deny, name).toBeDefined();
  });

  /** The agent's adapter with its ACP dialect alone. */
  const named = (name: string): Adapter => {
    const adapter = findAdapter(name) as Adapter;
    return { ...adapter, dialects: adapter.dialects.filter((dialect) => dialect.name === "acp") };
  };

  it.each(["copilot", "omp", "openclaw", "opencode"] as const)(
    "%s keeps the contract with its own profile",
    async (name) => {
      for (const recording of recordingsOf("acp").filter((path) => path.startsWith(`acp/${name}-`))) {
        expect(violationsOf(await eventsOf(named(name), recording)), recording).toEqual([]);
      }
    },
  );

  it("openclaw names its tools in titles", async () => {
    const events = await eventsOf(named("openclaw"), "acp/openclaw-2026.9.6/c_shell_ok.acp.jsonl");
    expect(all(events, "tool_call_ready")).toMatchObject([{ toolName: "exec", toolKind: "shell" }]);
  });

  const turn = (...messages: object[]): string[] =>
    [
      { dir: "in", msg: { id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } } },
      { dir: "out", msg: { id: 1, result: { sessionId: "s" } } },
      { dir: "in", msg: { id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } } },
      ...messages,
      { dir: "out", msg: { id: 2, result: { stopReason: "end_turn" } } },
    ].map((line) => JSON.stringify(line).replace('"msg":{', '"msg":{"jsonrpc":"2.0",'));
  const said = (text: string) => ({
    dir: "out",
    msg: {
      method: "session/update",
      params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
    },
  });

  it("copilot's failures that come as messages are failures", async () => {
    const lines = turn(said("Info: Retrying..."), said("Error: Authentication failed with provider (HTTP 401)."));
    const events = await eventsOfLines(named("copilot"), lines);
    expect(types(events)).toContain("auth_error");
    expect(text(events)).toEqual([]);
  });

  it("hermes asks with ids that belong to no call", async () => {
    const params = {
      sessionId: "s",
      toolCall: { toolCallId: "perm-check-1", title: "rm", kind: "execute" },
      options: [],
    };
    const ask = { dir: "out", msg: { id: 0, method: "session/request_permission", params } };
    const events = await eventsOfLines(named("hermes"), turn(ask, said("Done.")));
    expect(all(events, "approval_request")).toHaveLength(1);
    expect(types(events)).not.toContain("tool_call_start");
  });
});
