import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Script } from "../../testing/script.ts";
import { simulate } from "../../testing/simulate/simulate.ts";
import type { AgentEvent } from "../agent-events/catalog.ts";
import { agentEventTypes } from "../agent-events/catalog.ts";
import { envelopeDefinition } from "../envelope/catalog.ts";
import { problems } from "../validate.ts";
import { createEncoder, type Draft } from "./encode.ts";
import { mappingTable } from "./table.ts";

function encode(script: Script | AgentEvent[]): Draft[] {
  const encoder = createEncoder();
  return (script instanceof Script ? script.events : script).flatMap((event) => encoder.encode(event));
}

const typesOf = (script: Script) => encode(script).map(({ type }) => type);
const dataOf = (script: Script, type: string) =>
  encode(script)
    .filter((draft) => draft.type === type)
    .map(({ data }) => data);
const shellCall = { id: "c", name: "Bash", kind: "shell", input: { command: "ls" } } as const;

describe("the encoder", () => {
  it("writes exactly one primary envelope per event, by a row for each of the 67", () => {
    const written = new Set(mappingTable.filter(({ readOnly }) => !readOnly).map(({ event }) => event));
    expect(agentEventTypes.filter((type) => !written.has(type))).toEqual([]);
    const { events } = new Script()
      .begin()
      .turn()
      .tool(shellCall)
      .shell("c", "ls")
      .result("c", "Bash", "")
      .endTurn()
      .end();
    expect(encode(events).filter(({ derived }) => !derived)).toHaveLength(events.length);
  });

  it("writes payloads that match their schemas for any stream", () => {
    for (let seed = 1; seed < 60; seed++) {
      const tape = Array.from({ length: 150 }, (_, n) => (seed * 7919 + n * 104_729) % 999_983);
      for (const { type, data } of encode(simulate(tape))) {
        expect([type, problems(envelopeDefinition(type)?.data ?? ({} as never), data)]).toEqual([type, []]);
      }
    }
  });

  it("writes the same data as JSON text", () => {
    const { events } = new Script()
      .begin()
      .turn()
      .message("a", "b")
      .tool(shellCall)
      .result("c", "Bash", { a: [1] })
      .endTurn()
      .end();
    const encoder = createEncoder();
    const texts = events.flatMap((event) => encoder.encodeText(event));
    expect(texts.map(({ json, ...rest }) => ({ ...rest, data: JSON.parse(json) }))).toEqual(encode(events));
  });

  it("writes any text as JSON.stringify would, in any turn and message", () => {
    const texts = fc.array(fc.array(fc.string({ unit: "binary" }), { maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(texts, (turns) => {
        const script = new Script().begin();
        for (const messages of turns) {
          script.turn();
          for (const text of messages) if (text !== "") script.message(text);
          script.endTurn();
        }
        const { events } = script.end();
        const encoder = createEncoder();
        const texts = events.flatMap((event) => encoder.encodeText(event)).map(({ json }) => json);
        expect(texts).toEqual(encode(events).map(({ data }) => JSON.stringify(data)));
      }),
    );
  });

  it("counts turns from 1 and messages of a turn from 0", () => {
    const deltas = dataOf(
      new Script().begin().turn().message("a").message("b").endTurn().turn().message("c").endTurn(),
      "assistant.text_delta",
    );
    expect(deltas).toEqual([
      { turn_index: 1, block_index: 0, delta: "a" },
      { turn_index: 1, block_index: 1, delta: "b" },
      { turn_index: 2, block_index: 0, delta: "c" },
    ]);
  });

  it("never writes accumulated text", () => {
    const text = JSON.stringify(encode(new Script().begin().turn().message("a", "b").thinking("c").endTurn()));
    expect(text).not.toContain("ccumulated");
  });

  it("writes the input text of a call once, when no delta follows", () => {
    const whole = dataOf(new Script().turn().tool(shellCall), "assistant.tool_call_started");
    expect(whole).toEqual([expect.objectContaining({ input_text: '{"command":"ls"}' })]);
    const streamed = new Script().turn().tool({ ...shellCall, pieces: ['{"command":', '"ls"}'] });
    expect(dataOf(streamed, "assistant.tool_call_started")[0]).not.toHaveProperty("input_text");
    expect(dataOf(streamed, "assistant.tool_call_input_delta").map(({ delta }) => delta)).toEqual([
      '{"command":',
      '"ls"}',
    ]);
  });

  it("writes money verbatim and in whole millionths, cumulative and since the last tick", () => {
    const cost = (totalUsd: number, inputTokens: number) => ({
      cost: { totalUsd, inputTokens, outputTokens: 1, source: "billed" as const },
    });
    const ticks = dataOf(new Script().emit("cost", cost(0.1234567, 10)).emit("cost", cost(0.2, 30)), "cost.tick");
    expect(ticks).toEqual([
      expect.objectContaining({
        total_usd: 0.1234567,
        cumulative_cost_micros_usd: 123457,
        delta_cost_micros_usd: 123457,
        delta_input_tokens: 10,
        cost_source: "billed",
      }),
      expect.objectContaining({
        total_usd: 0.2,
        cumulative_cost_micros_usd: 200000,
        delta_cost_micros_usd: 76543,
        delta_input_tokens: 20,
      }),
    ]);
  });

  it("counts the bytes of a command's output separately for stdout and stderr", () => {
    const script = new Script()
      .turn()
      .tool(shellCall)
      .emit("shell_start", { command: "ls", cwd: "/", toolCallId: "c" });
    for (const delta of ["é", "🦶", "x"]) script.emit("shell_stdout_delta", { delta, toolCallId: "c" });
    script
      .emit("shell_stderr_delta", { delta: "ß", toolCallId: "c" })
      .emit("shell_exit", { exitCode: 0, durationMs: 1, toolCallId: "c" });
    expect(dataOf(script, "tool.shell.output_chunk").map(({ byte_offset }) => byte_offset)).toEqual([0, 2, 6, 0]);
    expect(dataOf(script, "tool.shell.exited")).toEqual([
      expect.objectContaining({ stdout_bytes: 7, stderr_bytes: 2 }),
    ]);
  });

  it("writes tool.started once, at the first sign that the call runs", () => {
    const ask = { interactionId: "q", action: "Run", detail: "ls", riskLevel: "low", toolCallId: "c" } as const;
    const granted = new Script()
      .turn()
      .tool(shellCall)
      .emit("approval_request", ask)
      .emit("approval_granted", { interactionId: "q" })
      .shell("c", "ls")
      .result("c", "Bash", "");
    expect(typesOf(granted).slice(-7)).toEqual([
      "tool.invoked",
      "approval.requested",
      "approval.resolved",
      "tool.started",
      "tool.shell.command",
      "tool.shell.exited",
      "tool.completed",
    ]);
    const refused = new Script()
      .turn()
      .tool(shellCall)
      .emit("approval_request", ask)
      .emit("approval_denied", { interactionId: "q" });
    expect(typesOf(refused)).not.toContain("tool.started");
  });

  it("writes the exit code of a command into the summary of its call", () => {
    const script = new Script().turn().tool(shellCall).shell("c", "ls", { exitCode: 3 }).result("c", "Bash", "");
    expect(dataOf(script, "tool.completed")).toEqual([
      expect.objectContaining({ summary: "`ls` exited with status 3", kind: "shell" }),
    ]);
  });

  it("proposes an edit before the change of an existing file, and a write before a new one", () => {
    const edit = { id: "e", name: "Edit", kind: "edit", input: {} } as const;
    const script = new Script().turn().tool(edit).result("e", "Edit", "");
    script
      .emit("file_patch", { path: "a", diff: "d", toolCallId: "e" })
      .emit("file_create", { path: "b", byteCount: 1 });
    expect(typesOf(script).slice(-4)).toEqual([
      "tool.edit.proposed",
      "tool.file.patch",
      "tool.file_write.proposed",
      "tool.file.patch",
    ]);
    expect(dataOf(script, "tool.edit.proposed")).toEqual([{ tool_call_id: "e", path: "a", auto_apply: true }]);
  });

  it("stores each outcome of a failed call under its own type", () => {
    const end = (outcome?: "failed" | "cancelled" | "timed_out" | "blocked") =>
      typesOf(
        new Script()
          .turn()
          .tool(shellCall)
          .emit("tool_error", { toolCallId: "c", toolName: "Bash", error: "", ...(outcome && { outcome }) }),
      ).at(-1);
    expect([end(), end("failed"), end("cancelled"), end("timed_out"), end("blocked")]).toEqual([
      "tool.failed",
      "tool.failed",
      "tool.cancelled",
      "tool.timed_out",
      "policy.tool_blocked",
    ]);
  });

  it("distinguishes an error of an MCP tool from a failed transport", () => {
    const call = { toolCallId: "m", server: "files", toolName: "read" };
    const end = (protocol: boolean) =>
      encode(
        new Script()
          .turn()
          .emit("mcp_tool_call_start", { ...call, input: {} })
          .emit("mcp_tool_error", { ...call, error: "no", protocol }),
      ).at(-1);
    expect(end(false)).toMatchObject({
      type: "tool.completed",
      data: { result: "tool_error", mcp_server: "files", tool_name: "mcp__files__read" },
    });
    expect(end(true)).toMatchObject({ type: "tool.failed", data: { result: "failed" } });
  });

  it("stores an MCP call that was cancelled, timed out or was blocked as such, with its server, tool, result and time", () => {
    const call = { toolCallId: "m", server: "files", toolName: "read" };
    const end = (outcome: "cancelled" | "timed_out" | "blocked") =>
      encode(
        new Script()
          .turn()
          .emit("mcp_tool_call_start", { ...call, input: {} })
          .emit("mcp_tool_error", { ...call, error: "why", outcome, durationMs: 7 }),
      ).at(-1);
    const shared = { tool_call_id: "m", tool_name: "mcp__files__read", kind: "mcp", turn_index: 1 };
    const of = { ...shared, mcp_server: "files", mcp_tool: "read", duration_ms: 7 };
    expect(end("cancelled")).toMatchObject({ type: "tool.cancelled", data: { ...of, result: "failed", error: "why" } });
    expect(end("timed_out")).toMatchObject({ type: "tool.timed_out", data: { ...of, result: "failed", error: "why" } });
    const blocked = { ...of, result: "blocked", reason: "why" };
    expect(end("blocked")).toMatchObject({ type: "policy.tool_blocked", data: blocked });
  });

  it("stores the last message of a turn as the answer, unless the turn called a tool, was retried or was cut short", () => {
    const answers = (script: Script) => dataOf(script, "assistant.final_answer");
    expect(answers(new Script().turn().message("a").message("b").endTurn())).toEqual([{ turn_index: 1, summary: "b" }]);
    expect(answers(new Script().turn().message("a").tool(shellCall).result("c", "Bash", "").endTurn())).toEqual([]);
    expect(answers(new Script().turn().message("a").endTurn({ stopReason: "max_tokens" }))).toEqual([]);
    const retry = { attempt: 1, maxAttempts: 2, reason: "", delayMs: 0 };
    expect(answers(new Script().turn().message("a").emit("retry", retry).endTurn())).toEqual([]);
  });

  it("throws for an event of unknown type", () => {
    expect(() => createEncoder().encode({ type: "telepathy" } as never)).toThrow(
      'No AgentEvent is of type "telepathy".',
    );
  });
});
