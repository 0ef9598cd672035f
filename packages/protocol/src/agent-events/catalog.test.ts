import { describe, expect, expectTypeOf, it } from "vitest";
import { Script } from "../../testing/script.ts";
import { validator } from "../validate.ts";
import {
  type AgentEvent,
  AgentEventType,
  type AgentEventTypeLiteral,
  agentEventCategories,
  agentEventSchema,
  agentEventSchemas,
  agentEventTypes,
} from "./catalog.ts";
import * as guards from "./guards.ts";
import type { TextDeltaEvent } from "./text.ts";

/** Section 29 of the specification. */
const specified: Record<keyof typeof agentEventCategories, string[]> = {
  session: ["session_start", "session_resume", "session_fork", "session_checkpoint", "session_end"],
  turn: ["turn_start", "turn_end", "step_start", "step_end"],
  text: ["message_start", "text_delta", "message_stop"],
  thinking: ["thinking_start", "thinking_delta", "thinking_stop"],
  tool: ["tool_call_start", "tool_input_delta", "tool_call_ready", "tool_result", "tool_error"],
  file: ["file_read", "file_write", "file_create", "file_delete", "file_patch"],
  shell: ["shell_start", "shell_stdout_delta", "shell_stderr_delta", "shell_exit"],
  mcp: ["mcp_tool_call_start", "mcp_tool_result", "mcp_tool_error"],
  subagent: ["subagent_spawn", "subagent_result", "subagent_error"],
  plugin: ["plugin_loaded", "plugin_invoked", "plugin_error"],
  skill: ["skill_loaded", "skill_invoked", "agentdoc_read"],
  multimodal: ["image_output", "image_input_ack"],
  cost: ["cost", "token_usage"],
  interaction: ["input_required", "approval_request", "approval_granted", "approval_denied"],
  rateLimit: ["rate_limited", "context_limit_warning", "context_compacted", "retry"],
  runLifecycle: ["interrupted", "aborted", "paused", "resumed", "timeout", "turn_limit", "stream_fallback"],
  error: ["auth_error", "rate_limit_error", "context_exceeded", "crash", "error"],
  debug: ["debug", "log"],
};

const guardOf: Record<keyof typeof agentEventCategories, (event: AgentEvent) => boolean> = {
  session: guards.isSessionEvent,
  turn: guards.isTurnEvent,
  text: guards.isTextEvent,
  thinking: guards.isThinkingEvent,
  tool: guards.isToolEvent,
  file: guards.isFileEvent,
  shell: guards.isShellEvent,
  mcp: guards.isMcpEvent,
  subagent: guards.isSubagentEvent,
  plugin: guards.isPluginEvent,
  skill: guards.isSkillEvent,
  multimodal: guards.isMultimodalEvent,
  cost: guards.isCostEvent,
  interaction: guards.isInteractionEvent,
  rateLimit: guards.isRateLimitEvent,
  runLifecycle: guards.isRunLifecycleEvent,
  error: guards.isErrorEvent,
  debug: guards.isDebugEvent,
};

const ofType = (type: string, fields: object = {}) => ({ type, ...fields }) as AgentEvent;

describe("the catalog of AgentEvents", () => {
  it("has the 67 types of the specification in its 18 categories", () => {
    const defined = Object.entries(agentEventCategories).map(([name, { events }]) => [
      name,
      events.map((schema) => schema.properties.type.const),
    ]);
    expect(Object.fromEntries(defined)).toEqual(specified);
    expect(Object.keys(specified)).toHaveLength(18);
    expect(agentEventTypes).toHaveLength(67);
  });

  it("offers every type as a frozen constant", () => {
    expect(AgentEventType.TEXT_DELTA).toBe("text_delta");
    expect(Object.values(AgentEventType)).toEqual(agentEventTypes);
    expect(Object.keys(AgentEventType)).toEqual(agentEventTypes.map((type) => type.toUpperCase()));
    expect(Object.isFrozen(AgentEventType)).toBe(true);
  });

  it("has a guard per category that accepts just its events", () => {
    for (const [category, guard] of Object.entries(guardOf)) {
      const accepted = agentEventTypes.filter((type) => guard(ofType(type)));
      expect(accepted).toEqual(specified[category as keyof typeof specified]);
    }
  });

  it("narrows types", () => {
    const event = ofType("text_delta") as AgentEvent;
    if (guards.isEventType(event, "text_delta")) expectTypeOf(event).toEqualTypeOf<TextDeltaEvent>();
    expectTypeOf(AgentEventType.CRASH).toEqualTypeOf<"crash">();
    expectTypeOf<AgentEvent["type"]>().toEqualTypeOf<AgentEventTypeLiteral>();
  });

  it("recognises the events that end a run, as section 28 defines them", () => {
    const terminal = agentEventTypes.filter((type) => guards.isTerminalEvent(ofType(type, { recoverable: false })));
    expect(terminal).toEqual([
      "interrupted",
      "aborted",
      "timeout",
      "turn_limit",
      "auth_error",
      "context_exceeded",
      "crash",
      "error",
    ]);
    expect(guards.isTerminalEvent(ofType("error", { recoverable: true }))).toBe(false);
  });

  it("reports whether an event carries a correlation key", () => {
    expect(guards.hasCorrelationKey(ofType("tool_result", { toolCallId: "a" }), "toolCallId")).toBe(true);
    expect(guards.hasCorrelationKey(ofType("cost"), "toolCallId")).toBe(false);
  });

  it("has a description for every event and every field", () => {
    for (const schema of agentEventSchemas) {
      expect(schema.description).toBeTruthy();
      for (const [name, field] of Object.entries(schema.properties)) {
        if (name !== "type") expect([schema.properties.type.const, name, field.description]).not.toContain(undefined);
      }
    }
  });
});

describe("a field", () => {
  const [start] = new Script().begin().events;
  const base = { runId: start?.runId, agent: "claude", timestamp: 1 };
  const cost = { totalUsd: 0, inputTokens: 0, outputTokens: 0 };
  const approval = { interactionId: "i", action: "", detail: "", riskLevel: "low" };

  it.each([
    ["session_start", { sessionId: "s", resumed: false }, { sessionId: "" }],
    ["session_start", { sessionId: "s", resumed: false }, { resumed: "no" }],
    ["session_start", { sessionId: "s", resumed: false }, { runId: "01HXYZ" }],
    ["session_start", { sessionId: "s", resumed: false }, { runId: "01K9ZC0000SPOOR00000000000" }],
    ["session_start", { sessionId: "s", resumed: false }, { agent: "" }],
    ["session_start", { sessionId: "s", resumed: false }, { timestamp: 0 }],
    ["session_start", { sessionId: "s", resumed: false }, { timestamp: 1.5 }],
    ["session_start", { sessionId: "s", resumed: false }, { raw: 7 }],
    ["session_start", { sessionId: "s", resumed: false }, { parentRunId: "run_01K9ZC0000SP00R00000000000" }],
    ["turn_start", { turnIndex: 0 }, { turnIndex: -1 }],
    ["turn_end", { turnIndex: 0, cost }, { cost: { ...cost, totalUsd: -1 } }],
    ["turn_end", { turnIndex: 0, cost }, { cost: { ...cost, inputTokens: 0.5 } }],
    ["turn_end", { turnIndex: 0, cost }, { cost: { ...cost, source: "guessed" } }],
    ["text_delta", { delta: "", accumulated: "" }, { delta: null }],
    ["tool_call_start", { toolCallId: "c", toolName: "t", inputAccumulated: "" }, { toolKind: "magic" }],
    ["tool_error", { toolCallId: "c", toolName: "t", error: "" }, { outcome: "lost" }],
    ["file_write", { path: "a", byteCount: 0 }, { byteCount: -1 }],
    ["shell_exit", { exitCode: -1, durationMs: 0 }, { exitCode: "1" }],
    ["approval_request", approval, { riskLevel: "extreme" }],
    ["input_required", { interactionId: "i", question: "", source: "tool" }, { source: "user" }],
    ["context_limit_warning", { usedTokens: 0, maxTokens: 0, pctUsed: 100 }, { pctUsed: 101 }],
    ["retry", { attempt: 1, maxAttempts: 0, reason: "", delayMs: 0 }, { attempt: 0 }],
    ["timeout", { kind: "run" }, { kind: "turn" }],
    ["stream_fallback", { capability: "text", reason: "" }, { capability: "images" }],
    ["error", { code: "INTERNAL", message: "", recoverable: true }, { code: "E_NOPE" }],
    ["debug", { level: "info", message: "" }, { level: "error" }],
    ["log", { source: "stdout", line: "" }, { source: "stdin" }],
  ])("of %s accepts %j and rejects %j", (type, fields, patch) => {
    const check = validator(agentEventSchema(type) as NonNullable<ReturnType<typeof agentEventSchema>>);
    const valid = { type, ...base, ...fields };
    expect(check(valid)).toBe(true);
    expect(check({ ...valid, ...patch })).toBe(false);
  });

  it("that is not defined is accepted", () => {
    const check = validator(agentEventSchema("aborted") as NonNullable<ReturnType<typeof agentEventSchema>>);
    expect(check({ type: "aborted", ...base, agent: "my-own-agent", mood: "fine" })).toBe(true);
  });
});
