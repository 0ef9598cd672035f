import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "../../src/agent-events/catalog.ts";
import { isTerminalEvent } from "../../src/agent-events/guards.ts";
import type { EventRuleId } from "../../src/contract/rules.ts";

/**
 * One way to break one rule: where in a valid stream it can be applied, and what it changes. It is applied only where it
 * breaks the rule, so the checker must report it.
 */
export interface Mutation<Item, RuleId> {
  rule: RuleId;
  does: string;
  sites(items: readonly Item[]): number[];
  apply(items: readonly Item[], site: number): Item[];
}

type Events = readonly AgentEvent[];
type EventMutation = Mutation<AgentEvent, EventRuleId>;

export const eventMutations: EventMutation[] = [
  alter("base.shape", "replaces a timestamp by a text", everywhere, () => ({ timestamp: "now" })),
  alter("base.shape", "drops the type's own field", of("text_delta"), () => ({ delta: undefined })),
  alter("base.shape", "gives a token count below zero", of("token_usage"), () => ({ inputTokens: -1 })),
  alter("base.run", "moves an event to another run", afterFirst, () => ({ runId: "01K9ZC0000000THER000000000" })),
  alter("base.agent", "gives an event to another agent", afterFirst, () => ({ agent: "codex" })),
  alter("base.time", "sets the clock back", afterFirst, (_, events, at) => ({
    timestamp: (events[at - 1] as AgentEvent).timestamp - 1,
  })),

  drop("session.first", of("session_start")),
  double("session.once", of("session_start")),
  insert(
    "session.resume",
    "resumes a new session",
    startsThat((start) => !start.resumed),
    (start) => [{ type: "session_resume", sessionId: sessionId(start), priorTurnCount: 0 }],
  ),
  double("session.resume", of("session_resume")),
  insert(
    "session.fork",
    "forks from another session",
    startsThat((start) => !start.resumed),
    (start) => [{ type: "session_fork", sessionId: sessionId(start), forkedFrom: "elsewhere" }],
  ),
  double("session.fork", of("session_fork")),
  alter("session.id", "ends another session", of("session_end"), () => ({ sessionId: "other" })),
  alter("session.count", "miscounts the turns", of("session_end"), (event) => ({
    turnCount: (event as AgentEventOf<"session_end">).turnCount + 1,
  })),
  insert("session.last", "continues after the end", of("session_end"), () => [
    { type: "cost", cost: { totalUsd: 0, inputTokens: 0, outputTokens: 0 } },
  ]),
  drop("session.end", of("session_end")),

  insert("startup.late", "loads a skill in a turn", of("turn_start"), () => [
    { type: "skill_loaded", skillName: "late", source: "built-in" },
  ]),

  alter("turn.index", "skips a number", of("turn_start"), (event) => ({
    turnIndex: (event as AgentEventOf<"turn_start">).turnIndex + 1,
  })),
  drop(
    "turn.overlap",
    where("turn_end", (events, at) => someAfter(events, at, "turn_start")),
  ),
  alter("turn.end", "ends another turn", of("turn_end"), (event) => ({
    turnIndex: (event as AgentEventOf<"turn_end">).turnIndex + 7,
  })),
  double("turn.end", of("turn_end")),
  drop(
    "turn.open",
    where("turn_end", (events, at) => !someAfter(events, at, "turn_start")),
  ),
  insert("turn.outside", "uses a skill between turns", of("turn_end"), () => [
    { type: "skill_invoked", skillName: "x" },
  ]),
  insert("turn.outside", "sends a message between turns", of("turn_end"), () => [
    { type: "message_start" },
    { type: "text_delta", delta: "x", accumulated: "x" },
    { type: "message_stop", text: "x" },
  ]),

  alter("step.turn", "puts a step in another turn", of("step_start"), () => ({ turnIndex: 99 })),
  alter("step.index", "skips a step", of("step_start"), (event) => ({
    stepIndex: (event as AgentEventOf<"step_start">).stepIndex + 1,
  })),
  drop(
    "step.overlap",
    where("step_end", (events, at) => nextIn(events, at, ["step_start", "turn_end"]) === "step_start"),
  ),
  double("step.end", of("step_end")),
  drop(
    "step.open",
    where("step_end", (events, at) => nextIn(events, at, ["step_start", "turn_end"]) === "turn_end"),
  ),

  ...textMutations("message", "message_start", "text_delta", "message_stop", "text"),
  ...textMutations("thinking", "thinking_start", "thinking_delta", "thinking_stop", "thinking"),
  insert("thinking.overlap", "thinks inside a message", of("message_start"), () => [
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "x", accumulated: "x" },
    { type: "thinking_stop", thinking: "x" },
  ]),

  insert("tool.id", "starts a call under a used id", of("tool_result", "tool_error"), (event) => [
    { type: "tool_call_start", toolCallId: callId(event), toolName: "x", inputAccumulated: "" },
  ]),
  drop("tool.start", of("tool_call_start")),
  insert("tool.input", "sends input after ready", of("tool_call_ready"), (event) => [
    { type: "tool_input_delta", toolCallId: callId(event), delta: "x", inputAccumulated: "x" },
  ]),
  alter("tool.accumulated", "miscounts the input", of("tool_input_delta"), (event) => ({
    inputAccumulated: `${(event as AgentEventOf<"tool_input_delta">).inputAccumulated}x`,
  })),
  drop("tool.ready", of("tool_call_ready")),
  double("tool.ready", of("tool_call_ready")),
  double("tool.end", of("tool_result", "tool_error")),
  alter("tool.name", "names another tool", of("tool_result", "tool_error"), () => ({ toolName: "Other" })),
  drop("tool.open", of("tool_result", "tool_error")),

  insert("file.tool", "touches a file before any call", of("turn_start"), () => [{ type: "file_read", path: "a" }]),
  insert("file.tool", "names an unknown call", of("turn_start"), () => [
    { type: "file_delete", path: "a", toolCallId: "nobody" },
  ]),

  drop("shell.start", of("shell_start")),
  double("shell.overlap", of("shell_start")),
  insert("shell.tool", "runs a command outside a call", of("turn_start"), () => [
    { type: "shell_start", command: "x", cwd: "/" },
    { type: "shell_exit", exitCode: 0, durationMs: 0 },
  ]),
  drop(
    "shell.open",
    where(
      "shell_exit",
      (events, at) => nextOfCall(events, at, ["shell_start", "tool_result", "tool_error"]) !== "shell_start",
    ),
  ),

  drop("mcp.start", of("mcp_tool_call_start")),
  double("mcp.end", of("mcp_tool_result", "mcp_tool_error")),
  alter("mcp.name", "names another server", of("mcp_tool_result", "mcp_tool_error"), () => ({ server: "other" })),
  drop("mcp.open", of("mcp_tool_result", "mcp_tool_error")),

  insert("subagent.id", "spawns under a used id", of("subagent_result", "subagent_error"), (event) => [
    { type: "subagent_spawn", subagentId: subagentId(event), agentName: "explorer", prompt: "" },
  ]),
  drop("subagent.start", of("subagent_spawn")),
  double("subagent.end", of("subagent_result", "subagent_error")),
  alter("subagent.name", "names another agent", of("subagent_result", "subagent_error"), () => ({
    agentName: "other",
  })),
  drop("subagent.open", of("subagent_result", "subagent_error")),

  drop(
    "plugin.loaded",
    where("plugin_loaded", (events, at) => {
      const { pluginId } = events[at] as AgentEventOf<"plugin_loaded">;
      return events.some((event) => event.type === "plugin_invoked" && event.pluginId === pluginId);
    }),
  ),

  insert("approval.id", "asks again under the same id", of("approval_granted", "approval_denied"), (event) => [
    { type: "approval_request", interactionId: questionId(event), action: "x", detail: "x", riskLevel: "low" },
  ]),
  drop(
    "approval.request",
    where("approval_request", (events, at) => answerTo(events, at)?.type === "approval_granted"),
  ),
  double("approval.answer", of("approval_granted", "approval_denied")),
  drop("approval.open", where("approval_granted", answersRequest)),
  drop("approval.open", where("approval_denied", answersRequest)),
  alter(
    "approval.mode",
    "sets mode auto although something is asked",
    startsThat((_, events) => events.some(({ type }) => type === "approval_request")),
    () => ({ approvalMode: "auto" }),
  ),
  alter(
    "approval.mode",
    "sets mode deny although something is granted",
    startsThat((_, events) => events.some(({ type }) => type === "approval_granted")),
    () => ({ approvalMode: "deny" }),
  ),
  insert("approval.early", "asks when the command runs", where("shell_start", namesCall), (event) => [
    {
      type: "approval_request",
      interactionId: "late",
      action: "x",
      detail: "x",
      riskLevel: "low",
      toolCallId: callId(event),
    },
    { type: "approval_denied", interactionId: "late" },
  ]),
  {
    rule: "approval.tool",
    does: "runs the call before it is granted",
    sites: where("approval_granted", (events, at) => workAfterGrant(events, at) !== undefined),
    apply: (events, at) => {
      const until = workAfterGrant(events, at) as number;
      const granted = { ...(events[at] as AgentEvent), timestamp: (events[until] as AgentEvent).timestamp };
      return [...events.slice(0, at), ...events.slice(at + 1, until + 1), granted, ...events.slice(until + 1)];
    },
  },

  alter(
    "retry.attempt",
    "exceeds the maximum number of retries",
    where("retry", (events, at) => (events[at] as AgentEventOf<"retry">).maxAttempts > 0),
    (event) => ({
      attempt: (event as AgentEventOf<"retry">).maxAttempts + 1,
    }),
  ),

  double("pause.order", of("paused", "resumed")),
  insert("pause.quiet", "works while paused", of("paused"), () => [{ type: "turn_start", turnIndex: 99 }]),
  double("fallback.once", of("stream_fallback")),

  insert("terminal.last", "continues after the end", terminals, () => [
    { type: "cost", cost: { totalUsd: 0, inputTokens: 0, outputTokens: 0 } },
  ]),
  insert("terminal.once", "ends twice", terminals, () => [{ type: "aborted" }]),
  insert("rate_limit.next", "continues without a retry", of("rate_limit_error"), () => [
    { type: "context_compacted", summary: "", tokensSaved: 0 },
  ]),
];

function textMutations(
  kind: "message" | "thinking",
  start: AgentEventTypeLiteral,
  delta: "text_delta" | "thinking_delta",
  stop: AgentEventTypeLiteral,
  field: string,
): EventMutation[] {
  const onlyDelta = (events: Events, at: number) =>
    nextIn(events, at, [delta, stop]) === stop && previousIn(events, at, [delta, start]) === start;
  return [
    drop(`${kind}.start`, of(start)),
    double(`${kind}.overlap`, of(start)),
    drop(`${kind}.empty`, where(delta, onlyDelta)),
    alter(`${kind}.accumulated`, "changes accumulated", of(delta), (event) => ({
      accumulated: `${(event as AgentEventOf<"text_delta">).accumulated}x`,
    })),
    alter(`${kind}.text`, "alters the whole text", of(stop), (event) => ({
      [field]: `${(event as unknown as Record<string, string>)[field]}x`,
    })),
    drop(
      `${kind}.text`,
      where(delta, (events, at) => !onlyDelta(events, at) && (events[at] as AgentEventOf<"text_delta">).delta !== ""),
    ),
    drop(
      `${kind}.open`,
      where(stop, (events, at) => nextIn(events, at, [start, "turn_end"]) === "turn_end"),
    ),
  ];
}

type Patch = Record<string, unknown>;
type NewEvent = { type: AgentEventTypeLiteral } & Patch;
type Sites = (events: Events) => number[];

function alter(
  rule: EventRuleId,
  does: string,
  sites: Sites,
  patch: (event: AgentEvent, events: Events, at: number) => Patch,
): EventMutation {
  return {
    rule,
    does,
    sites,
    apply: (events, at) =>
      events.map((event, index) => (index === at ? ({ ...event, ...patch(event, events, at) } as AgentEvent) : event)),
  };
}

function drop(rule: EventRuleId, sites: Sites): EventMutation {
  return { rule, does: "drops the event", sites, apply: (events, at) => events.toSpliced(at, 1) };
}

function double(rule: EventRuleId, sites: Sites): EventMutation {
  return {
    rule,
    does: "repeats the event",
    sites,
    apply: (events, at) => events.toSpliced(at, 0, events[at] as AgentEvent),
  };
}

function insert(rule: EventRuleId, does: string, sites: Sites, make: (event: AgentEvent) => NewEvent[]): EventMutation {
  return {
    rule,
    does,
    sites,
    apply: (events, at) => {
      const event = events[at] as AgentEvent;
      const base = { runId: event.runId, agent: event.agent, timestamp: event.timestamp };
      const added = make(event).map((fields) => ({ ...base, ...fields }) as unknown as AgentEvent);
      return events.toSpliced(at + 1, 0, ...added);
    },
  };
}

const indices = (events: Events, test: (event: AgentEvent, at: number) => boolean): number[] =>
  events.flatMap((event, at) => (test(event, at) ? [at] : []));

function everywhere(events: Events): number[] {
  return indices(events, () => true);
}

function afterFirst(events: Events): number[] {
  return indices(events, (_, at) => at > 0);
}

function terminals(events: Events): number[] {
  return indices(events, isTerminalEvent);
}

function of(...types: AgentEventTypeLiteral[]): Sites {
  return (events) => indices(events, (event) => types.includes(event.type));
}

function where(type: AgentEventTypeLiteral, test: (events: Events, at: number) => boolean): Sites {
  return (events) => indices(events, (event, at) => event.type === type && test(events, at));
}

function startsThat(test: (start: AgentEventOf<"session_start">, events: Events) => boolean): Sites {
  return (events) => indices(events, (event) => event.type === "session_start" && test(event, events));
}

function namesCall(events: Events, at: number): boolean {
  return callId(events[at] as AgentEvent) !== "";
}

function someAfter(events: Events, at: number, type: AgentEventTypeLiteral): boolean {
  return events.slice(at + 1).some((event) => event.type === type);
}

function nextIn(events: Events, at: number, types: AgentEventTypeLiteral[]): string | undefined {
  return events.slice(at + 1).find((event) => types.includes(event.type))?.type;
}

function previousIn(events: Events, at: number, types: AgentEventTypeLiteral[]): string | undefined {
  return events.slice(0, at).findLast((event) => types.includes(event.type))?.type;
}

function nextOfCall(events: Events, at: number, types: AgentEventTypeLiteral[]): string | undefined {
  const id = callId(events[at] as AgentEvent);
  return events.slice(at + 1).find((event) => callId(event) === id && types.includes(event.type))?.type;
}

function answerTo(events: Events, at: number): AgentEvent | undefined {
  const id = questionId(events[at] as AgentEvent);
  return events.slice(at + 1).find((event) => questionId(event) === id);
}

function answersRequest(events: Events, at: number): boolean {
  const id = questionId(events[at] as AgentEvent);
  return events.slice(0, at).some((event) => event.type === "approval_request" && event.interactionId === id);
}

/** The first action of a granted call that only its approval allows. */
function workAfterGrant(events: Events, at: number): number | undefined {
  const asked = events.find(
    (event) => event.type === "approval_request" && event.interactionId === questionId(events[at] as AgentEvent),
  );
  const id = asked && callId(asked);
  const found = events.findIndex((event, index) => index > at && callId(event) === id);
  const work = ["shell_start", "tool_result", "file_read", "file_write", "file_create", "file_delete", "file_patch"];
  return id !== undefined && work.includes(events[found]?.type ?? "") ? found : undefined;
}

const sessionId = (event: AgentEvent): string => (event as AgentEventOf<"session_start">).sessionId;
const callId = (event: AgentEvent): string => (event as { toolCallId?: string }).toolCallId ?? "";
const subagentId = (event: AgentEvent): string => (event as { subagentId?: string }).subagentId ?? "";
const questionId = (event: AgentEvent): string => (event as { interactionId?: string }).interactionId ?? "";
