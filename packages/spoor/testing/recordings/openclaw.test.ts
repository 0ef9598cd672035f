import { readFileSync } from "node:fs";
import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { openclaw } from "../../src/agents/openclaw/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { chooseRunnableDialect } from "../../src/options/choose-dialect.ts";
import { describeRecordings, eventsOf, eventsOfLines, violationsOf } from "../run/recordings.ts";

describeRecordings(openclaw);

const folder = "openclaw/2026.9.6";
const over = (
  dialect: "gateway" | "acp",
  name: string,
  change?: (lines: string[]) => string[],
): Promise<AgentEvent[]> =>
  eventsOf(openclaw, `${folder}/${dialect}.${name}.${dialect === "acp" ? "acp" : "rpc"}.jsonl`, change);

const documentLines = (name: string): string[] =>
  readFileSync(new URL(`../../fixtures/${folder}/${name}.json`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");

const printed = (name: string, code = 0): Promise<AgentEvent[]> =>
  eventsOfLines(openclaw, documentLines(name), { code, signal: null });

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);
const said = (events: readonly AgentEvent[]): string[] => all(events, "message_stop").map(({ text }) => text);

describe("openclaw's gateway", () => {
  it("reports an answer once although several events contain it", async () => {
    const events = await over("gateway", "a_text");
    const text =
      "Hello! This is a plain answer that is streamed in many small pieces so that every piece becomes its own delta.";
    expect(all(events, "session_start")).toMatchObject([
      { sessionId: "e2961019-240a-4a53-99c5-7f658b627571", resumed: false },
    ]);
    expect(said(events)).toEqual([text]);
    expect(all(events, "text_delta").map(({ delta }) => delta)).toEqual([text]);
    expect(all(events, "thinking_delta").map(({ delta }) => delta)).toEqual(["Short thou", "ght first."]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 1200, outputTokens: 34 }]);
    expect(all(events, "turn_start")).toMatchObject([{ model: "fake-model", provider: "fake" }]);
    expect(all(events, "session_end")).toMatchObject([
      { turnCount: 1, cost: { totalUsd: 0.0012679999999999998, source: "agent_reported" } },
    ]);
  });

  it("reports the plugins it loaded before the first turn", async () => {
    const events = await over("gateway", "a_text");
    expect(all(events, "plugin_loaded").map(({ pluginName }) => pluginName)).toContain("memory-core");
    expect(types(events).lastIndexOf("plugin_loaded")).toBeLessThan(types(events).indexOf("turn_start"));
  });

  it("reads text before a call from its card, and reports the output of a command once although two streams contain it", async () => {
    const events = await over("gateway", "c_shell_ok");
    const command = "printf 'line one\\nline two\\n'; sleep 1; echo line three";
    expect(said(events)).toEqual(["Running it.", "The command printed three lines."]);
    expect(all(events, "tool_call_ready")).toMatchObject([
      { toolCallId: "call_c1", toolName: "exec", toolKind: "shell", input: { command } },
    ]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "line one\nline two\n",
      "line three\n",
    ]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0, durationMs: 1017 }]);
    expect(all(events, "tool_result")).toHaveLength(1);
    expect(all(events, "turn_end").map(({ stopReason }) => stopReason)).toEqual(["toolUse", "stop"]);
    expect(all(events, "cost").at(-1)?.cost).toMatchObject({ totalUsd: 0.0025359999999999996, inputTokens: 2400 });
  });

  it("reports the exit code of a command that fails, without the remark below its output", async () => {
    const events = await over("gateway", "d_shell_fail");
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3, durationMs: 19 }]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["out\n", "oops"]);
    expect(all(events, "tool_error")).toEqual([]);
  });

  it("reports a call of an unknown tool as failed", async () => {
    const events = await over("gateway", "f_invalid_tool");
    expect(all(events, "tool_error")).toMatchObject([
      { toolName: "no_such_tool", error: "Tool no_such_tool not found", outcome: "failed" },
    ]);
  });

  it("reports MCP calls with their server, and distinguishes a tool's error from a protocol error", async () => {
    const events = await over("gateway", "g_mcp");
    expect(all(events, "mcp_tool_call_start")).toMatchObject([
      { server: "fixture", toolName: "lookup", input: { key: "***" } },
      { server: "fixture", toolName: "explode", input: { why: "test" } },
    ]);
    expect(all(events, "mcp_tool_error")).toMatchObject([{ error: "explode failed: test", protocol: false }]);
    expect(all(events, "tool_call_start")).toEqual([]);
  });

  it("reports a subagent as a run of its own, and the agent's reaction to its report as another turn", async () => {
    const events = await over("gateway", "i_subagent");
    const [spawn] = all(events, "subagent_spawn");
    expect(spawn).toMatchObject({ agentName: "counter", prompt: "Count the files in src" });
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "Spawned." }]);
    const below = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(said(below)).toEqual(["Spawned."]);
    expect(all(below, "session_start")).toMatchObject([{ parentRunId: events[0]?.runId }]);
    const above = events.filter(({ runId }) => runId !== spawn?.childRunId);
    expect(said(above)).toEqual(["There is 1 file.", "Done."]);
    expect(all(above, "session_end")).toMatchObject([{ turnCount: 3, cost: { inputTokens: 3600 } }]);
  });

  it("reports a refused key once, and one that is not used after a refusal", async () => {
    const refused = await over("gateway", "k_401");
    expect(all(refused, "auth_error").map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Authentication failed \(provider returned HTTP 401\)/),
    ]);
    expect(said(refused)).toEqual([]);
    const waiting = await over("gateway", "k_401_then_cooldown");
    expect(all(waiting, "auth_error")).toMatchObject([{ message: expect.stringContaining("temporarily disabled") }]);
    expect(all(waiting, "session_start")).toMatchObject([{ sessionId: "9338cdf9-4bbd-4196-ad70-38d07ef5290c" }]);
  });

  it("reports a retry with its delay and reason", async () => {
    const events = await over("gateway", "k_500_retry");
    expect(all(events, "retry")).toMatchObject([
      { attempt: 1, maxAttempts: 8, delayMs: 1080, reason: expect.stringContaining("HTTP 500") },
    ]);
    expect(said(events)).toEqual(["Recovered."]);
  });

  it("is interrupted by an abort, without repeating the partial message", async () => {
    const events = await over("gateway", "l_abort");
    expect(said(events)).toEqual(["I am going to talk for a long time"]);
    expect(all(events, "interrupted")).toHaveLength(1);
  });

  it("continues a session that has messages", async () => {
    const events = await over("gateway", "m_second_turn");
    expect(all(events, "session_start")).toMatchObject([
      { sessionId: "1fc22813-5427-485d-b44b-50bd1284f44b", resumed: true },
    ]);
    expect(said(events)).toEqual(["Second turn, same session."]);
  });

  it("is read from a recording of the gateway's output alone", async () => {
    const outOnly = (lines: string[]) => lines.filter((line) => !line.startsWith('{"dir":"in"'));
    const events = await over("gateway", "c_shell_ok", outOnly);
    expect(said(events)).toEqual(["Running it.", "The command printed three lines."]);
    expect(violationsOf(events)).toEqual([]);
  });

  it.each(["agent", "session.message", "chat"])(
    "is read without its %s events, and reports nothing twice",
    async (view) => {
      const events = await over("gateway", "c_shell_ok", (lines) =>
        lines.filter((line) => !line.includes(`"event":"${view}"`)),
      );
      expect(said(events).at(-1)).toBe("The command printed three lines.");
      expect(said(events).length).toBe(view === "agent" ? 1 : 2);
      expect(all(events, "tool_call_ready").length).toBe(1);
      expect(all(events, "crash")).toEqual([]);
    },
  );

  it("reports a question about a command and its answer, and the command after that", async () => {
    const asked = (id: string) => [
      event("exec.approval.requested", { id, request: { command: "rm x", toolCallId: "call_c1" } }),
      event("exec.approval.resolved", { id, decision: "allow-once" }),
    ];
    const events = await over("gateway", "c_shell_ok", (lines) => {
      const at = lines.findIndex((line) => line.includes('"stream":"tool"'));
      return lines.toSpliced(at + 1, 0, ...asked("q"));
    });
    expect(all(events, "approval_request")).toMatchObject([
      { detail: "rm x", toolName: "exec", toolCallId: "call_c1" },
    ]);
    expect(types(events).indexOf("approval_granted")).toBeLessThan(types(events).indexOf("shell_start"));
  });

  it("reports why a prompt was refused, and a crash if the connection ends during a prompt", async () => {
    const refused = await over("gateway", "a_text", (lines) => {
      const at = lines.findIndex((line) => line.includes('"status":"started"'));
      const error = { code: "UNAVAILABLE", message: "not ready" };
      return [...lines.slice(0, at), out({ type: "res", id: "r5", ok: false, error })];
    });
    expect(all(refused, "error")).toMatchObject([{ message: "UNAVAILABLE: not ready", recoverable: false }]);
    const cut = await over("gateway", "a_text", (lines) => lines.slice(0, 18));
    expect(all(cut, "crash")).toMatchObject([{ exitCode: 0 }]);
  });
});

describe("openclaw's bridge", () => {
  it("reads file changes from the details of results", async () => {
    const events = await over("acp", "e_files");
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/src/greet.txt" }]);
    expect(all(events, "file_create")).toMatchObject([{ path: "/home/user/project/src/new2.txt", byteCount: 10 }]);
    expect(all(events, "tool_call_ready").map(({ toolName, toolKind }) => [toolName, toolKind])).toEqual([
      ["read", "file_read"],
      ["write", "file_write"],
    ]);
  });

  it("asks, and reports no refused command as run", async () => {
    const refused = await over("acp", "h_permission_reject");
    expect(all(refused, "approval_denied")).toHaveLength(1);
    expect(all(refused, "shell_start")).toEqual([]);
    expect(all(refused, "tool_error")).toMatchObject([
      { error: expect.stringContaining("user-denied"), outcome: "cancelled" },
    ]);
    const granted = await over("acp", "h_permission_approve");
    expect(types(granted).indexOf("approval_granted")).toBeLessThan(types(granted).indexOf("shell_start"));
  });

  it("does not report the history of a session", async () => {
    expect(said(await over("acp", "m_load"))).toEqual(["After load."]);
  });
});

describe("openclaw's documents", () => {
  it("contain the answer, the tokens of all calls and the cost", async () => {
    const events = await printed("exec.e_files");
    expect(said(events)).toEqual(["Done."]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 3600, outputTokens: 102 }]);
    expect(all(events, "session_end")).toMatchObject([
      { sessionId: "83a50510-1ea3-42b8-a03b-f068fbe3d497", cost: { totalUsd: 0.0038039999999999992 } },
    ]);
    expect(violationsOf(events)).toEqual([]);
  });

  it("contain the failure", async () => {
    const events = await printed("exec.k_401", 1);
    expect(all(events, "auth_error")).toMatchObject([{ message: expect.stringContaining("HTTP 401") }]);
    expect(all(events, "crash")).toEqual([]);
    expect(violationsOf(events)).toEqual([]);
  });

  it("contain the skills of a run that uses the agent's own settings", async () => {
    const events = await printed("local.c_shell_ok");
    expect(said(events)).toEqual(["Two lines."]);
    expect(all(events, "skill_loaded")).toHaveLength(22);
    expect(all(events, "turn_start")).toMatchObject([{ model: "fake-model", provider: "fake" }]);
    expect(violationsOf(events)).toEqual([]);
  });

  it("contain a stored session, message by message", async () => {
    const events = await printed("session-log.e_files.history");
    expect(all(events, "tool_call_ready").map(({ toolName }) => toolName)).toEqual([
      "read",
      "edit",
      "write",
      "apply_patch",
    ]);
    expect(all(events, "file_patch")).toMatchObject([
      { path: "/home/user/project/src/greet.txt", diff: expect.stringContaining("\n-world\n+planet\n") },
    ]);
    expect(all(events, "file_create")).toMatchObject([
      { path: "/home/user/project/src/new.txt", byteCount: 15 },
      { path: "src/patched.txt", byteCount: 4 },
    ]);
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 5, cost: { inputTokens: 6000 } }]);
    const shell = await printed("session-log.c_shell_ok.history");
    expect(said(shell)).toEqual(["Running it.", "The command printed three lines."]);
    expect(violationsOf([...events])).toEqual([]);
  });

  it("become logs and a crash if they are cut off at any line", async () => {
    const lines = documentLines("exec.e_files");
    for (const length of [0, 1, 5, lines.length - 1]) {
      const events = await eventsOfLines(openclaw, lines.slice(0, length), { code: 1, signal: null });
      expect(all(events, "crash")).toMatchObject([{ exitCode: 1 }]);
      expect(all(events, "log")).toHaveLength(length);
      expect(violationsOf(events)).toEqual([]);
    }
  });

  it("are found between other lines, and read once", async () => {
    const lines = documentLines("exec.e_files");
    const events = await eventsOfLines(openclaw, ["Loading …", ...lines, "Bye.", ...lines]);
    expect(said(events)).toEqual(["Done."]);
    expect(violationsOf(events)).toEqual([]);
  });
});

it("distinguishes openclaw's dialects by their first lines", () => {
  const dialect = (...lines: string[]) => chooseDialect(openclaw, lines).name;
  expect(dialect(event("tick", { ts: 1 }))).toBe("gateway");
  expect(dialect(JSON.stringify({ type: "res", id: "r", ok: true, payload: {} }))).toBe("gateway");
  expect(dialect('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}')).toBe("acp");
  expect(dialect("{", '  "ok": true,')).toBe("json");
  expect(dialect('{"ok":false,"error":{"type":"cli_error","message":"no"}}')).toBe("json");
});

it("runs openclaw without its gateway if a model is given, and over its bridge otherwise", () => {
  const [bridge, alone] = openclaw.dialects;
  expect(bridge?.live?.takes).not.toContain("model");
  const request = { prompt: "Do it", cwd: "/w", model: "a/b", approve: "auto" as const };
  expect(alone?.live?.launch(request).args).toEqual([
    ...["agent", "exec", "--json", "--cwd", "/w", "--model", "a/b", "--", "Do it"],
  ]);
});

it("refuses to run openclaw with deny", () => {
  const request = { prompt: "Do it", cwd: "/w", approve: "deny" as const };
  expect(() => chooseRunnableDialect(openclaw, { request, asks: false, streams: false })).toThrow(
    "cannot enforce `--approve deny`",
  );
});

function out(message: object): string {
  return JSON.stringify({ dir: "out", msg: message });
}

function event(name: string, payload: object): string {
  return out({ type: "event", event: name, payload });
}
