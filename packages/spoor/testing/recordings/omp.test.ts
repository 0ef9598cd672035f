import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { omp } from "../../src/agents/omp/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines } from "../run/recordings.ts";

describeRecordings(omp);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(omp, `omp/18.2.3/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);

const lines = (...frames: object[]): string[] => frames.map((frame) => JSON.stringify(frame));

describe("omp in json mode", () => {
  it("reports the session, and a text once although its message begins with a part of it", async () => {
    const events = await recorded("c_shell_ok");
    expect(all(events, "session_start")).toMatchObject([{ sessionId: "01a1dcd3-ead3-74ef-966a-fbd199e21757" }]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual([
      "Running it.",
      "The command printed three lines.",
    ]);
    const pieces = all(events, "text_delta").map(({ delta }) => delta);
    expect(pieces.join("")).toBe("Running it.The command printed three lines.");
  });

  it("reports the output of a command without omp's remarks below it", async () => {
    const events = await recorded("c_shell_ok");
    const printed = all(events, "shell_stdout_delta").map(({ delta }) => delta);
    expect(printed.join("").trimEnd()).toBe("line one\nline two\nline three");
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    const failed = await recorded("d_shell_fail");
    expect(all(failed, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    expect(all(failed, "tool_error")).toHaveLength(1);
  });

  it("reports the files: one read, one edited by tag, one written", async () => {
    const events = await recorded("e_files");
    expect(all(events, "file_read")).toMatchObject([{ path: "src/greet.txt" }]);
    const [patch] = all(events, "file_patch");
    expect(patch?.path).toBe("/home/user/project/src/greet.txt");
    expect(patch?.diff).toContain("-world\n+planet\n");
    expect(all(events, "file_write")).toMatchObject([{ path: "src/new.txt", byteCount: 15 }]);
  });

  it("reports a plan and a call of an MCP tool by kind", async () => {
    const plan = all(await recorded("j_todo"), "tool_call_ready");
    expect(plan.map(({ toolKind }) => toolKind)).toEqual(["todo_write", "todo_write", "todo_write"]);
    const mcp = all(await recorded("g_mcp"), "mcp_tool_error");
    expect(mcp.map(({ server, toolName }) => [server, toolName])).toEqual([
      ["fixture", "lookup"],
      ["fixture", "explode"],
    ]);
  });

  it("reports a subagent that outlives the call that spawned it", async () => {
    const events = await recorded("i_subagent");
    expect(all(events, "subagent_spawn")).toMatchObject([
      { subagentId: "Counter", agentName: "Counter", prompt: "Count the files in src" },
    ]);
    expect(all(events, "subagent_result")).toMatchObject([{ subagentId: "Counter", summary: "Final." }]);
    const order = types(events);
    expect(order.indexOf("subagent_result")).toBeGreaterThan(order.indexOf("tool_result"));
  });

  it("ends with the agent's outcome", async () => {
    const lastOf = async (name: string) => types(await recorded(name)).at(-2);
    expect(await lastOf("k_400_context")).toBe("context_exceeded");
    expect(await lastOf("k_stream_cut")).toBe("error");
    expect(await lastOf("l_interrupt_sigint")).toBe("interrupted");
    expect(await lastOf("l_interrupt_tool_sigterm")).toBe("crash");
    expect(all(await recorded("m_resume_missing"), "crash")).toMatchObject([{ exitCode: 1 }]);
    expect(all(await recorded("k_500_exhausted"), "retry")).toHaveLength(1);
  });
});

describe("omp over rpc", () => {
  it("asks with its own choice and with an extension's confirmation", async () => {
    const given = await recorded("rpc.h_builtin_approved.rpc");
    expect(all(given, "approval_request").map(({ action }) => action)).toEqual([
      expect.any(String),
      "Allow tool: bash\nCommand: touch approved2.txt",
    ]);
    expect(all(given, "approval_granted")).toHaveLength(2);
    const refused = await recorded("rpc.h_confirm_denied.rpc");
    expect(all(refused, "approval_denied")).toHaveLength(1);
    expect(all(refused, "shell_start")).toEqual([]);
  });

  it("reports what a subagent does as a run of its own", async () => {
    const events = await recorded("rpc.i_subagent.rpc");
    const [spawn] = all(events, "subagent_spawn");
    const child = events.filter(({ runId }) => runId === spawn?.childRunId);
    expect(all(child, "session_start")).toMatchObject([{ parentRunId: spawn?.runId }]);
    expect(all(child, "shell_start")).toMatchObject([{ command: "ls src | wc -l" }]);
    expect(all(child, "message_stop").map(({ text }) => text)).toEqual([
      ...["There is 1 file.", "Done.", "All done.", "Nothing more is scripted."],
    ]);
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "Nothing more is scripted." }]);
    expect(all(child, "session_end")).toHaveLength(1);
  });

  it("is interrupted by an abort", async () => {
    expect(types(await recorded("rpc.l_abort_text.rpc"))).toContain("interrupted");
  });

  it("completes a command that calls no model", async () => {
    const events = await eventsOfLines(
      omp,
      lines(
        { dir: "in", msg: { id: "prompt", type: "prompt", message: "/usage" } },
        { dir: "out", msg: { type: "command_output", text: "Nothing used." } },
        { dir: "out", msg: { type: "response", command: "prompt", success: true, data: { agentInvoked: false } } },
        { dir: "out", msg: { type: "available_commands_update", commands: [] } },
      ),
    );
    expect(types(events)).not.toContain("crash");
  });

  it("grants permission with one of the offered choices", () => {
    const driver = omp.dialects[0]?.live?.createDriver({ prompt: "Go.", cwd: "/w", approve: "ask" });
    const ask = { type: "extension_ui_request", method: "select", options: ["Approve", "Deny"] };
    for (const id of ["a", "b"]) driver?.receive?.(JSON.stringify({ ...ask, id }));
    expect(driver?.answer?.("a", { granted: true })).toEqual(lines({ ...response("a"), value: "Approve" }));
    expect(driver?.answer?.("b", { granted: false })).toEqual(lines({ ...response("b"), cancelled: true }));
  });
});

const response = (id: string) => ({ type: "extension_ui_response", id });

describe("omp on disk and over ACP", () => {
  it("reports the same from its log as during the run", async () => {
    const [printed, kept] = [await recorded("e_files"), await recorded("session-log.e_files")];
    for (const type of ["session_start", "tool_call_ready", "file_patch", "file_write", "message_stop"] as const) {
      expect(all(kept, type).map(withoutRun)).toEqual(all(printed, type).map(withoutRun));
    }
  });

  it("is recognised by its first frames", () => {
    const header = { type: "session", version: 3, id: "s", cwd: "/w" };
    const wireOf = (...frames: object[]): string => chooseDialect(omp, lines(...frames)).name;
    expect(wireOf(header, { type: "advisor_cost_changed" })).toBe("json");
    expect(wireOf({ type: "title", v: 1 }, header, { type: "message", parentId: null })).toBe("session-log");
    expect(wireOf({ dir: "in", msg: { type: "new_session" } }, { dir: "out", msg: { type: "ready" } })).toBe("rpc");
    expect(wireOf({ dir: "in", msg: { jsonrpc: "2.0", id: 1, method: "session/new" } })).toBe("acp");
  });
});

const withoutRun = ({ runId: _, timestamp: __, ...event }: AgentEvent) => JSON.stringify(event);
