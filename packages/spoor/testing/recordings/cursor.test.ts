import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { cursor } from "../../src/agents/cursor/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines } from "../run/recordings.ts";

describeRecordings(cursor);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(cursor, `cursor/documented/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const session_id = "s";
const said = (text: string, more: object = {}) => ({
  ...{ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] }, session_id },
  ...more,
});
const told = (...frames: object[]): Promise<AgentEvent[]> =>
  eventsOfLines(
    cursor,
    frames.map((frame) => JSON.stringify(frame)),
  );
const init = { type: "system", subtype: "init", session_id, model: "Auto", permissionMode: "default" };
const success = { type: "result", subtype: "success", is_error: false, session_id };

describe("cursor", () => {
  it.each([
    ["plain_text", ["Hello there."]],
    ["plain_text_partial", ["Hello there."]],
    ["tools_partial", ["Reading first.", "Done."]],
  ])("reports each text of %s once although it is repeated", async (name, texts) => {
    const events = await recorded(name);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(texts);
    const pieces = all(events, "text_delta").map(({ delta }) => delta);
    expect(pieces.join("")).toBe(texts.join(""));
  });

  it("ignores a last line that repeats all text", async () => {
    const events = await told(init, said("One.", { timestamp_ms: 1, model_call_id: "c" }), said("One."), success);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["One."]);
    const again = await told(init, said("One.", { timestamp_ms: 1 }), said("Before. One."), success);
    expect(all(again, "message_stop").map(({ text }) => text)).toEqual(["One."]);
  });

  it("reports thinking", async () => {
    const [thought] = all(await recorded("thinking_text"), "thinking_stop");
    expect(thought?.thinking).toBe("The user wants a short answer.");
  });

  it("reports output and exit codes of commands, and file changes", async () => {
    const events = await recorded("tools_partial");
    expect(all(events, "shell_exit").map(({ exitCode }) => exitCode)).toEqual([0, 3]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["README.md\nsrc\n"]);
    expect(all(events, "shell_stderr_delta").map(({ delta }) => delta)).toEqual(["boom\n"]);
    expect(all(events, "file_read")).toMatchObject([{ path: "/home/user/project/README.md" }]);
    expect(all(events, "file_patch")[0]?.diff).toContain("\n-\n+export const answer = 42;\n");
  });

  it("begins a turn with each model call, with or without a call id", async () => {
    const turns = all(await recorded("tools_partial"), "turn_start");
    expect(turns).toHaveLength(3);
    expect(turns).toMatchObject([{ model: "Auto" }, { model: "Auto" }, { model: "Auto" }]);
  });

  it("reports refusals, and no refused command as run", async () => {
    const events = await recorded("permission_denied");
    expect(all(events, "approval_denied").map(({ reason }) => reason)).toEqual([
      "Command requires approval, which is unavailable in headless mode",
      "denied",
    ]);
    expect(all(events, "tool_error").map(({ outcome }) => outcome)).toEqual(["blocked", "blocked"]);
    expect(all(events, "shell_start")).toEqual([]);
  });

  it("distinguishes MCP tools, plans, subagents and errors", async () => {
    const events = await recorded("mcp_todo_task");
    expect(all(events, "mcp_tool_call_start")).toMatchObject([{ server: "demo", toolName: "add" }]);
    expect(all(events, "mcp_tool_result")).toMatchObject([{ output: "sum = 5" }]);
    expect(all(events, "tool_call_ready").map(({ toolKind }) => toolKind)).toContain("todo_write");
    expect(all(events, "subagent_spawn")).toMatchObject([{ agentName: "explore", prompt: "Find greet" }]);
    expect(all(events, "tool_error")).toMatchObject([{ error: "File not found" }]);
    expect(all(events, "token_usage")).toMatchObject([
      { inputTokens: 29_383, outputTokens: 122, cachedTokens: 13_535 },
    ]);
  });

  it("crashes if no result comes", async () => {
    expect((await told(init)).at(-2)).toMatchObject({ type: "crash", exitCode: 0 });
    expect((await told(init, { ...success, is_error: true, result: "429 Too Many Requests" })).at(-2)?.type).toBe(
      "rate_limit_error",
    );
  });

  it("asks over ACP, which is recognised as a dialect of its own", async () => {
    expect(all(await recorded("acp_shape.acp"), "approval_granted")).toHaveLength(1);
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    expect(chooseDialect(cursor, [JSON.stringify({ dir: "in", msg: initialize })]).name).toBe("acp");
    expect(chooseDialect(cursor, [JSON.stringify(init)]).name).toBe("stream-json");
  });
});
