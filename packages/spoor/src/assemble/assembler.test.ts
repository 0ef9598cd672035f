import { type AgentEvent, createStreamChecker, type StreamFinding } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySignal } from "../../testing/run/arbitrary-signal.ts";
import { assemble, typesOf } from "../../testing/run/assemble.ts";
import type { Signal } from "../agents/signal.ts";
import type { AssemblerOptions } from "./assembler.ts";

function findings(events: readonly AgentEvent[]): StreamFinding[] {
  const checker = createStreamChecker();
  return [...events.flatMap((event) => checker.add(event)), ...checker.end()];
}

const say = (key: string, ...deltas: string[]): Signal[] => deltas.map((delta) => ({ kind: "text", key, delta }));
const think = (key: string, ...deltas: string[]): Signal[] => deltas.map((delta) => ({ kind: "thinking", key, delta }));
const ready = (id: string, more: object = {}): Signal =>
  ({ kind: "toolReady", id, name: "Bash", toolKind: "shell", input: { command: "ls" }, ...more }) as Signal;
const shell = (id: string): Signal => ({ kind: "shell", id, command: "ls" });
const done = (id: string, more: object = {}): Signal => ({ kind: "toolEnd", id, output: "ok", ...more }) as Signal;
const ask = (id: string, toolId: string): Signal => ({
  kind: "ask",
  id,
  action: "Run a command",
  detail: "ls",
  risk: "high",
  tool: { id: toolId, name: "Bash", toolKind: "shell", input: { command: "ls" } },
});
const eventsOfType = <T extends AgentEvent["type"]>(events: AgentEvent[], type: T) =>
  events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);

describe("the assembler", () => {
  it("keeps the contract for any signals in any order", () => {
    fc.assert(
      fc.property(
        fc.array(anySignal, { maxLength: 60, size: "max" }),
        fc.constantFrom<Partial<AssemblerOptions>>(
          {},
          { canAsk: false },
          { stream: false },
          { streams: { text: false, toolCalls: false, thinking: false } },
          { noSession: true },
        ),
        (signals, options) => {
          expect(findings(assemble(signals, options))).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("gives the same bytes for the same input", () => {
    fc.assert(
      fc.property(fc.array(anySignal, { maxLength: 40 }), (signals) => {
        expect(JSON.stringify(assemble(signals))).toBe(JSON.stringify(assemble(signals)));
      }),
      { numRuns: 50 },
    );
  });

  it("never lets time go back", () => {
    const clock = [50, 40, 60, 10, 70];
    const events = assemble([{ kind: "session", id: "s" }, ...say("a", "x")], { now: () => clock.shift() ?? 0 });
    const times = events.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("adds the raw line to events in debug mode only", () => {
    expect(assemble(say("a", "x"), { debug: true }).every((event) => !("raw" in event))).toBe(true);
    expect(assemble([{ kind: "session", id: "s" }])).not.toContainEqual(
      expect.objectContaining({ raw: expect.anything() }),
    );
  });
});

describe("a missing or invalid value", () => {
  it("gets a name where one is required", () => {
    const events = assemble([{ kind: "toolReady", id: "", name: "", input: {} }, done("")]);
    expect(eventsOfType(events, "tool_result")).toMatchObject([{ toolCallId: "unnamed", toolName: "unnamed" }]);
  });

  it("is not used as a session id", () => {
    expect(assemble([{ kind: "session", id: "" }])[0]).toMatchObject({
      sessionId: expect.stringMatching(/^transient-/),
    });
  });

  it("drops a file without a path and keeps the other files", () => {
    const files = [
      { op: "read", path: "" },
      { op: "write", path: "a", byteCount: -1 },
    ];
    const events = assemble([ready("t"), done("t", { files })]);
    expect(events.filter(({ type }) => type.startsWith("file_"))).toMatchObject([{ path: "a", byteCount: 0 }]);
  });

  it("becomes a whole number or is dropped", () => {
    const usage = { inputTokens: 2.6, outputTokens: -4, cachedTokens: Number.NaN };
    const [tokenUsage] = eventsOfType(assemble([{ kind: "usage", usage }]), "token_usage");
    expect(tokenUsage).toMatchObject({ inputTokens: 3, outputTokens: 0 });
    expect(tokenUsage).not.toHaveProperty("cachedTokens");
  });

  it("turns the fact into a note if the fact requires the value", () => {
    const events = assemble([{ kind: "fact", fact: { type: "skill_invoked", skillName: "" } }]);
    expect(eventsOfType(events, "debug")).toMatchObject([{ message: expect.stringContaining("skill_invoked") }]);
  });

  it("raises the maximum of attempts to the attempt", () => {
    const fact = { type: "retry", attempt: 4, maxAttempts: 3, reason: "", delayMs: 0 } as const;
    expect(eventsOfType(assemble([{ kind: "fact", fact }]), "retry")).toMatchObject([{ attempt: 4, maxAttempts: 4 }]);
  });
});

describe("a session", () => {
  it("is opened with a generated id if the agent reports none", () => {
    const [start, end] = assemble([]);
    expect(start).toMatchObject({
      type: "session_start",
      sessionId: expect.stringMatching(/^transient-/),
      resumed: false,
    });
    expect(end).toMatchObject({ type: "session_end", turnCount: 0 });
  });

  it("is transient if the agent stores none", () => {
    const [start] = assemble([{ kind: "session", id: "native" }], { noSession: true });
    expect(start).toMatchObject({ sessionId: expect.stringMatching(/^transient-/) });
  });

  it("that is resumed has the number of earlier turns, and counts them at its end", () => {
    const events = assemble([{ kind: "session", id: "s", resumed: true, priorTurns: 4 }, ...say("a", "x")]);
    expect(eventsOfType(events, "session_resume")).toMatchObject([{ priorTurnCount: 4 }]);
    expect(events.at(-1)).toMatchObject({ type: "session_end", turnCount: 5 });
  });

  it("that is new has no earlier turns, whatever the process did before", () => {
    const events = assemble([
      ...say("a", "x"),
      { kind: "fail", event: { type: "interrupted" } },
      { kind: "promptDone" },
      { kind: "prompt" },
      { kind: "session", id: "s", resumed: false },
    ]);
    expect(eventsOfType(events, "session_end")).toMatchObject([{ turnCount: 1 }, { sessionId: "s", turnCount: 0 }]);
  });

  it("with another id is another run", () => {
    const events = assemble([
      { kind: "session", id: "one" },
      { kind: "session", id: "one" },
      { kind: "session", id: "two" },
    ]);
    expect(events.map(({ type }) => type)).toEqual(["session_start", "session_end", "session_start", "session_end"]);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(2);
  });
});

describe("a turn", () => {
  it("is a model call and its tools: the first call joins it, the next one opens another", () => {
    const signals: Signal[] = [
      { kind: "prompt" },
      { kind: "call", model: "m" },
      ...say("a", "x"),
      ready("t"),
      done("t"),
      { kind: "call" },
      ...say("b", "y"),
    ];
    const turns = assemble(signals).filter(({ type }) => type === "turn_start" || type === "turn_end");
    expect(turns).toMatchObject([{ turnIndex: 0, model: "m" }, { turnIndex: 0 }, { turnIndex: 1 }, { turnIndex: 1 }]);
  });

  it("ends with the stop reason of the model", () => {
    const events = assemble([{ kind: "call" }, ...say("a", "x"), { kind: "callDone", stopReason: "end_turn" }]);
    expect(eventsOfType(events, "turn_end")).toMatchObject([{ stopReason: "end_turn" }]);
  });

  it("has a step for each phase", () => {
    const events = assemble([...think("t", "hm"), ...say("a", "x"), ready("c"), done("c")]);
    expect(eventsOfType(events, "step_start").map(({ stepType }) => stepType)).toEqual([
      "thinking",
      "generation",
      "tool_use",
    ]);
  });

  it("closes spans that the agent left open", () => {
    expect(
      typesOf([
        ...say("a", "x"),
        ready("c"),
        shell("c"),
        { kind: "output", id: "c", stream: "stdout", text: "1" },
      ]).slice(-6),
    ).toEqual(
      ["shell_start", "shell_stdout_delta", "shell_exit", "tool_error", "turn_end"].toSpliced(0, 0, "tool_call_ready"),
    );
  });
});

describe("text", () => {
  it("is the sum of its pieces, started at the first and stopped at the last", () => {
    const events = assemble([...say("a", "Hel", "", "lo"), { kind: "textDone", key: "a" }]);
    expect(eventsOfType(events, "text_delta").map(({ delta, accumulated }) => [delta, accumulated])).toEqual([
      ["Hel", "Hel"],
      ["lo", "Hello"],
    ]);
    expect(eventsOfType(events, "message_stop")).toMatchObject([{ text: "Hello" }]);
  });

  it("that arrives whole is one delta", () => {
    const events = assemble([{ kind: "textDone", key: "a", text: "Hello" }]);
    expect(eventsOfType(events, "text_delta")).toMatchObject([{ delta: "Hello" }]);
  });

  it("gets the rest that was not streamed", () => {
    const events = assemble([...say("a", "Hel"), { kind: "textDone", key: "a", text: "Hello" }]);
    expect(eventsOfType(events, "message_stop")).toMatchObject([{ text: "Hello" }]);
  });

  it("stays as streamed if the final text differs, with a warning", () => {
    const events = assemble([...say("a", "Hello"), { kind: "textDone", key: "a", text: "Goodbye" }]);
    expect(eventsOfType(events, "message_stop")).toMatchObject([{ text: "Hello" }]);
    expect(eventsOfType(events, "debug")).toMatchObject([
      { level: "warn", message: expect.stringContaining("Goodbye") },
    ]);
  });

  it("is not repeated when its end comes twice or late", () => {
    const end: Signal = { kind: "textDone", key: "a", text: "Hello" };
    const events = assemble([...say("a", "Hello"), end, end, { kind: "call" }, { kind: "call" }, end]);
    expect(eventsOfType(events, "message_stop")).toHaveLength(1);
  });

  it("is the result of the prompt if there was no message", () => {
    const withoutMessage = assemble([{ kind: "prompt" }, { kind: "call" }, { kind: "promptDone", text: "Done." }]);
    expect(eventsOfType(withoutMessage, "message_stop")).toMatchObject([{ text: "Done." }]);
    const withMessage = assemble([{ kind: "prompt" }, ...say("a", "Done"), { kind: "promptDone", text: "Done." }]);
    expect(eventsOfType(withMessage, "message_stop")).toHaveLength(1);
  });
});

describe("a call", () => {
  it("that is reported twice is emitted once", () => {
    const start: Signal = { kind: "toolStart", id: "c", name: "Bash" };
    expect(typesOf([start, start, ready("c"), ready("c"), done("c"), done("c")])).toEqual([
      "turn_start",
      "tool_call_start",
      "tool_call_ready",
      "tool_result",
      "debug",
      "turn_end",
    ]);
  });

  it("that is only reported as ended is started first", () => {
    expect(typesOf([done("c", { name: "Read" })])).toEqual([
      "turn_start",
      "tool_call_start",
      "tool_call_ready",
      "tool_result",
      "turn_end",
    ]);
  });

  it("starts its command at once if the agent cannot ask, else with its first output or end", () => {
    const before = typesOf([
      ready("c"),
      shell("c"),
      { kind: "usage", usage: { inputTokens: 1, outputTokens: 1 } },
      done("c"),
    ]);
    expect(before.indexOf("shell_start")).toBeGreaterThan(before.indexOf("token_usage"));
    const atOnce = typesOf(
      [ready("c"), shell("c"), { kind: "usage", usage: { inputTokens: 1, outputTokens: 1 } }, done("c")],
      { canAsk: false },
    );
    expect(atOnce.indexOf("shell_start")).toBeLessThan(atOnce.indexOf("token_usage"));
  });

  it("has the reported exit code, else 0 for a success and -1 for a failure", () => {
    const code = (end: object) =>
      eventsOfType(assemble([ready("c"), shell("c"), done("c", end)]), "shell_exit").map(({ exitCode }) => exitCode);
    expect([code({ exitCode: 3, error: "no" }), code({}), code({ error: "no" })]).toEqual([[3], [0], [-1]]);
  });

  it("of an MCP tool has its own events, once its input is complete", () => {
    const mcp = { mcp: { server: "files", tool: "read" } };
    const start = { kind: "toolStart", id: "c", name: "mcp__files__read", ...mcp } as Signal;
    expect(typesOf([start, { kind: "toolInput", id: "c", delta: "{}" }, ready("c", mcp), done("c")])).toEqual([
      "turn_start",
      "mcp_tool_call_start",
      "mcp_tool_result",
      "turn_end",
    ]);
  });

  it("emits its files after its result, and none after a failure", () => {
    const files = [{ op: "patch", path: "a", diff: "d" }];
    expect(typesOf([ready("c"), done("c", { files })]).slice(-3)).toEqual(["tool_result", "file_patch", "turn_end"]);
    expect(typesOf([ready("c"), done("c", { files, error: "no" })])).not.toContain("file_patch");
  });
});

describe("an approval", () => {
  it("that comes before its call opens the call", () => {
    expect(typesOf([ask("q", "c"), { kind: "answer", id: "q", granted: true }, done("c")])).toEqual([
      "turn_start",
      "tool_call_start",
      "tool_call_ready",
      "approval_request",
      "approval_granted",
      "tool_result",
      "turn_end",
    ]);
  });

  it("holds the command back until it is granted; if denied, there is no command", () => {
    const asked = [ready("c"), shell("c"), ask("q", "c")];
    expect(typesOf([...asked, { kind: "answer", id: "q", granted: true }, done("c")]).slice(-5)).toEqual([
      "approval_granted",
      "shell_start",
      "shell_exit",
      "tool_result",
      "turn_end",
    ]);
    const refused = typesOf([...asked, { kind: "answer", id: "q", granted: false }, done("c", { error: "no" })]);
    expect(refused.slice(-3)).toEqual(["approval_denied", "tool_error", "turn_end"]);
  });

  it("without a reported answer gets the answer that the outcome of the call implies", () => {
    expect(typesOf([ask("q", "c"), done("c")])).toContain("approval_granted");
    expect(typesOf([ask("q", "c"), done("c", { error: "no", outcome: "cancelled" })])).toContain("approval_denied");
    expect(typesOf([ask("q", "c")])).toContain("approval_denied");
  });
});

describe("a failure", () => {
  const fail: Signal = { kind: "fail", event: { type: "auth_error", message: "401", guidance: "Log in." } };

  it("ends the run when the prompt ends, after everything is closed", () => {
    expect(typesOf([{ kind: "call" }, ...say("a", "x"), fail, { kind: "promptDone" }]).slice(-3)).toEqual([
      "message_stop",
      "turn_end",
      "auth_error",
    ]);
  });

  it("is recoverable if the model works after it", () => {
    const events = assemble([{ kind: "call" }, fail, ...say("a", "x")]);
    expect(eventsOfType(events, "error")).toMatchObject([{ code: "AUTH_ERROR", recoverable: true }]);
    expect(eventsOfType(events, "auth_error")).toEqual([]);
  });

  it("is followed by another run if there is another prompt", () => {
    const events = assemble([
      { kind: "session", id: "s" },
      fail,
      { kind: "promptDone" },
      { kind: "prompt" },
      ...say("a", "x"),
    ]);
    expect(eventsOfType(events, "session_start")).toMatchObject([
      { resumed: false },
      { sessionId: "s", resumed: true },
    ]);
  });

  it("ends the run: later signals become debug events", () => {
    const events = assemble([{ kind: "session", id: "s" }, fail, { kind: "promptDone" }, ...say("a", "late")]);
    expect(events.at(-1)).toMatchObject({ type: "debug", message: expect.stringContaining("late") });
  });
});

describe("the cost", () => {
  const usage: Signal = { kind: "usage", usage: { inputTokens: 1000, outputTokens: 10, cachedTokens: 400 } };
  const estimate =
    () =>
    (model: string, { inputTokens }: { inputTokens: number }) =>
      model === "m" ? inputTokens / 1e6 : undefined;

  it("uses the price of cache writes for them, although they are part of the input", () => {
    const priced: unknown[] = [];
    const recordTokens = () => (_: string, tokens: object) => priced.push(tokens);
    const written: Signal = { kind: "usage", usage: { inputTokens: 9, outputTokens: 1, cacheWriteTokens: 5 } };
    const events = assemble([{ kind: "call", model: "m" }, written, written], { estimate: recordTokens });
    expect(priced).toMatchObject([{ cacheWriteTokens: 5 }, { cacheWriteTokens: 5 }]);
    expect(eventsOfType(events, "cost").at(-1)?.cost).toMatchObject({ inputTokens: 18, cacheWriteTokens: 10 });
  });

  it("is estimated by list price if the agent reports only tokens, adds up and is marked as estimated", () => {
    const events = assemble([{ kind: "call", model: "m" }, usage, { kind: "call" }, usage], { estimate });
    expect(eventsOfType(events, "cost").map(({ cost }) => cost)).toMatchObject([
      { totalUsd: 0.001, inputTokens: 1000, source: "estimated" },
      { totalUsd: 0.002, inputTokens: 2000, cachedTokens: 800, source: "estimated" },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "session_end", cost: { totalUsd: 0.002 } });
  });

  it("is unknown for a model without a price", () => {
    expect(typesOf([{ kind: "call", model: "unheard-of" }, usage], { estimate })).not.toContain("cost");
  });
});

describe("a retry", () => {
  it("keeps the text before it and opens another turn", () => {
    const retry: Signal = {
      kind: "fact",
      fact: { type: "retry", attempt: 1, maxAttempts: 2, reason: "529", delayMs: 0 },
    };
    expect(typesOf([{ kind: "call" }, ...say("a", "x"), retry, { kind: "call" }, ...say("b", "y")])).toEqual([
      "turn_start",
      "message_start",
      "text_delta",
      "message_stop",
      "retry",
      "turn_end",
      "turn_start",
      "message_start",
      "text_delta",
      "message_stop",
      "turn_end",
    ]);
  });
});

describe("a subagent", () => {
  const spawn: Signal = { kind: "spawn", id: "s", name: "explorer", prompt: "look", tracked: true };

  it("has a separate run, which is linked both ways and ends with the subagent", () => {
    const events = assemble([
      spawn,
      { ...say("a", "x")[0], child: "s" } as Signal,
      { kind: "spawnEnd", id: "s", summary: "found" },
    ]);
    const [spawned] = eventsOfType(events, "subagent_spawn");
    const child = events.filter(({ runId }) => runId === spawned?.childRunId);
    expect(child[0]).toMatchObject({ type: "session_start", parentRunId: spawned?.runId });
    expect(child.at(-1)).toMatchObject({ type: "session_end" });
    expect(child.map(({ type }) => type)).toContain("text_delta");
  });

  it("that never ends is closed before the run ends", () => {
    expect(typesOf([spawn, { kind: "promptDone" }])).toContain("subagent_error");
  });
});

describe("streaming", () => {
  const output: Signal[] = [
    { kind: "call" },
    ...think("t", "a", "b"),
    ...say("m", "c", "d"),
    { kind: "toolStart", id: "c", name: "Edit" },
    { kind: "toolInput", id: "c", delta: "{" },
    { kind: "toolInput", id: "c", delta: "}" },
    { kind: "toolReady", id: "c", name: "Edit", input: {} },
    { kind: "callDone" },
    done("c"),
  ];
  const none = { text: false, toolCalls: false, thinking: false };
  const counts = (options: Partial<AssemblerOptions>) => {
    const events = assemble(output, options);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    return {
      text: count("text_delta"),
      thinking: count("thinking_delta"),
      input: count("tool_input_delta"),
      fallbacks: eventsOfType(events, "stream_fallback").map(({ capability }) => capability),
    };
  };

  it.each([
    ["auto, all streamed", { stream: "auto" }, { text: 2, thinking: 2, input: 2, fallbacks: [] }],
    [
      "auto, none streamed",
      { stream: "auto", streams: none },
      { text: 1, thinking: 1, input: 0, fallbacks: ["thinking", "text", "tool_calls"] },
    ],
    ["true, all streamed", { stream: true }, { text: 2, thinking: 2, input: 2, fallbacks: [] }],
    [
      "true, only text streamed",
      { stream: true, streams: { ...none, text: true } },
      { text: 2, thinking: 1, input: 0, fallbacks: ["thinking", "tool_calls"] },
    ],
    ["false, all streamed", { stream: false }, { text: 1, thinking: 1, input: 0, fallbacks: [] }],
    ["false, none streamed", { stream: false, streams: none }, { text: 1, thinking: 1, input: 0, fallbacks: [] }],
  ] as const)("%s", (_name, options, expected) => {
    expect(counts(options as Partial<AssemblerOptions>)).toEqual(expected);
  });

  it("false emits thinking, then text, then tools, before the tools run", () => {
    const shuffled: Signal[] = [
      { kind: "call" },
      ready("c"),
      ...say("m", "x"),
      ...think("t", "y"),
      { kind: "callDone" },
      done("c"),
    ];
    expect(typesOf(shuffled, { stream: false })).toEqual([
      "turn_start",
      "thinking_start",
      "thinking_delta",
      "thinking_stop",
      "message_start",
      "text_delta",
      "message_stop",
      "tool_call_start",
      "tool_call_ready",
      "tool_result",
      "turn_end",
    ]);
  });

  it("false never delays a question", () => {
    const types = typesOf(
      [{ kind: "call" }, ...say("m", "x"), { kind: "question", id: "q", question: "?", source: "agent" }],
      { stream: false },
    );
    expect(types.indexOf("input_required")).toBeGreaterThan(types.indexOf("message_stop"));
  });
});
