import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "../../src/agent-events/catalog.ts";
import {
  afterFirst,
  alter,
  answersRequest,
  answerTo,
  callId,
  double,
  drop,
  type EventMutation,
  type Events,
  everywhere,
  insert,
  namesCall,
  nextIn,
  nextOfCall,
  of,
  previousIn,
  questionId,
  sessionId,
  someAfter,
  startsThat,
  subagentId,
  terminals,
  where,
  workAfterGrant,
} from "./event-operators.ts";

/** At least one way to break each rule of the AgentEvent contract. */
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
