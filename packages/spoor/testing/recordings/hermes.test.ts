import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { hermes } from "../../src/agents/hermes/index.ts";
import { describeRecordings, eventsOf, eventsOfLines } from "../run/recordings.ts";

describeRecordings(hermes);

const recorded = (name: string): Promise<AgentEvent[]> => eventsOf(hermes, `hermes/documented/${name}.jsonl`);

const all = <T extends AgentEventTypeLiteral>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] =>
  events.filter((event): event is AgentEventOf<T> => event.type === type);

describe("hermes", () => {
  it("reports its text once although the result repeats it", async () => {
    const events = await recorded("tools");
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["I look around.", "Done."]);
    expect(all(events, "session_start")).toMatchObject([{ sessionId: "20260922_100000_abc123" }]);
    expect(all(events, "token_usage")).toMatchObject([{ inputTokens: 620, outputTokens: 30, cachedTokens: 500 }]);
  });

  it("reports commands that end in another order, and files", async () => {
    const events = await recorded("tools");
    expect(all(events, "shell_exit").map(({ toolCallId, exitCode }) => [toolCallId, exitCode])).toEqual([
      ["c2", 3],
      ["c1", 0],
    ]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["README.md\n"]);
    expect(all(events, "file_write")).toMatchObject([{ path: "new.txt", byteCount: 4 }]);
    expect(all(events, "file_patch")[0]?.diff).toContain("-one\n+two\n");
  });

  it("pairs calls without ids by name, in their order", async () => {
    const events = await recorded("no_ids");
    expect(all(events, "tool_result").map(({ output }) => output)).toEqual(["first", "second", "There are two."]);
    expect(all(events, "file_read").map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
    expect(all(events, "subagent_result")).toMatchObject([{ summary: "There are two." }]);
    expect(all(events, "message_stop").map(({ text }) => text)).toEqual(["Two files."]);
  });

  it("ends as its result says", async () => {
    expect((await recorded("error_401")).at(-2)?.type).toBe("auth_error");
    expect((await recorded("interrupted")).at(-2)?.type).toBe("interrupted");
    const init = { type: "system", subtype: "init", model: "m", session_id: "s", timestamp: 1 };
    expect((await eventsOfLines(hermes, [JSON.stringify(init)])).at(-2)?.type).toBe("crash");
  });

  it("asks over ACP about invented calls, which are not reported", async () => {
    const events = await recorded("permission.acp");
    expect(all(events, "approval_granted")).toHaveLength(1);
    expect(all(events, "tool_call_ready")).toMatchObject([{ toolName: "terminal", toolKind: "shell" }]);
  });
});
