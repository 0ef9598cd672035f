import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { zot } from "../../src/agents/zot/index.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { describeRecordings, eventsOf, eventsOfLines } from "../run/recordings.ts";

describeRecordings(zot);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(zot, `zot/documented/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

const lines = (...frames: object[]): string[] => frames.map((frame) => JSON.stringify(frame));
const told = (...frames: object[]): Promise<AgentEvent[]> => eventsOfLines(zot, lines(...frames));

const started = { type: "response", id: "1", command: "prompt", success: true, data: { started: true } };

describe("zot", () => {
  it("reports an invalid key as a missing login", async () => {
    const events = await recorded("prompt_401");
    expect(all(events, "auth_error")).toMatchObject([{ message: "deepseek: http 401: ..." }]);
    expect(events.at(-1)?.type).toBe("session_end");
  });

  it("starts a call once although zot reports it three times", async () => {
    const events = await recorded("shell_ok");
    expect(all(events, "tool_call_start")).toMatchObject([{ toolName: "bash", toolKind: "shell" }]);
    expect(all(events, "tool_call_ready")).toMatchObject([{ input: { command: "uname -a" } }]);
    const pieces = all(events, "tool_input_delta").map(({ delta }) => delta);
    expect(JSON.parse(pieces.join(""))).toEqual({ command: "uname -a" });
  });

  it("keeps a turn open for results that come after its reported end", async () => {
    const types = (await recorded("shell_ok")).map(({ type }) => type);
    expect(types.indexOf("tool_result")).toBeLessThan(types.indexOf("turn_end"));
    expect(types.indexOf("turn_end")).toBeLessThan(types.lastIndexOf("turn_start"));
  });

  it("reports the stop reason and the cost so far", async () => {
    const events = await recorded("shell_ok");
    expect(all(events, "turn_end").map(({ stopReason }) => stopReason)).toEqual(["tool_use", "end"]);
    expect(all(events, "cost").map(({ cost }) => cost.totalUsd)).toEqual([0.000253, 0.00038]);
    expect(all(events, "token_usage")[0]).toMatchObject({
      inputTokens: 412 + 896,
      outputTokens: 23,
      cachedTokens: 896,
    });
    expect(all(events, "session_end")).toMatchObject([{ turnCount: 2, cost: { totalUsd: 0.00038 } }]);
  });

  it("reports the output of a command once, without the text around it", async () => {
    const events = await recorded("shell_ok");
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual([
      "FreeBSD osa.smilepowered.org 15.0-RELEASE-p10 FreeBSD 15.0-RELEASE-p10 GENERIC amd64\n",
    ]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    const result = {
      type: "tool_result",
      id: "a",
      is_error: true,
      content: [{ type: "text", text: "$ x\nout\n[exit 2]" }],
    };
    const unseen = await told(
      started,
      { type: "turn_start", step: 1 },
      { type: "tool_call", id: "a", name: "bash", args: { command: "x" } },
      result,
      { type: "done" },
    );
    expect(all(unseen, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["out\n"]);
    expect(all(unseen, "shell_exit")).toMatchObject([{ exitCode: 2 }]);
  });

  it("reports files in json mode", async () => {
    const events = await recorded("json_files");
    expect(all(events, "file_read")).toMatchObject([{ path: "greet.txt" }]);
    expect(all(events, "file_patch")[0]?.diff).toContain("-world\n+planet\n");
    expect(all(events, "file_write")).toMatchObject([{ path: "new.txt", byteCount: 10 }]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["I read it first.", "Done."]);
  });

  it("reports several prompts, a compaction and an abort", async () => {
    const events = await recorded("abort_compact.rpc");
    expect(all(events, "turn_start")[0]).toMatchObject({ model: "claude-opus-4-5", provider: "anthropic" });
    expect(all(events, "image_input_ack")).toMatchObject([{ mimeType: "image/png" }]);
    expect(all(events, "context_compacted")).toMatchObject([{ summary: "A story was begun." }]);
    expect(events.at(-2)?.type).toBe("interrupted");
  });

  it("counts only the run's own cost", async () => {
    const usage = (cost_usd: number) => ({ type: "usage", input: 1, output: 1, cost_usd: 1, cumulative: { cost_usd } });
    const events = await told(
      ...[
        started,
        { type: "turn_start" },
        usage(1),
        { type: "turn_end", stop: "error", error: "boom" },
        { type: "done" },
      ],
      ...[{ type: "user_message", content: [] }, { type: "turn_start" }, usage(3), { type: "turn_end", stop: "end" }],
      { type: "done" },
    );
    expect(all(events, "session_end").map(({ cost }) => cost?.totalUsd)).toEqual([1, 2]);
  });

  it("fails if a prompt is refused, and crashes if it exits during a prompt", async () => {
    const refused = await told({ type: "response", command: "prompt", success: false, error: "no provider" });
    expect(refused.at(-2)).toMatchObject({ type: "error", message: "no provider" });
    expect((await told(started, { type: "turn_start", step: 1 })).at(-2)?.type).toBe("crash");
  });

  it("is recognised by its frames, and sends hello before the prompt", () => {
    expect(chooseDialect(zot, lines(started)).name).toBe("rpc");
    expect(chooseDialect(zot, lines({ type: "user_message", content: [] })).name).toBe("json");
    const driver = zot.dialects[0]?.live?.createDriver({ prompt: "Go.", cwd: "/w", approve: "auto" });
    expect(driver?.open()).toEqual(
      lines({ id: "hello", type: "hello" }, { id: "prompt", type: "prompt", message: "Go." }),
    );
    expect(driver?.interrupt?.()).toEqual(lines({ id: "abort", type: "abort" }));
  });
});
