import type { AgentEvent } from "@spoor/protocol";
import { isTerminalEvent } from "@spoor/protocol/write";

export interface Closer {
  add(event: AgentEvent): void;
  /** The events that close whatever is open, so that a run which broke off keeps the contract; none when it has ended. */
  close(base: Pick<AgentEvent, "runId" | "agent" | "timestamp">, why: string): AgentEvent[];
}

/** Remembers what is open in a run while its events pass. */
export function createCloser(): Closer {
  let sessionId: string | undefined;
  let hasEnded = false;
  let hasFailed = false;
  let priorTurns = 0;
  let turns = 0;
  let turn: number | undefined;
  let step: number | undefined;
  let message: string | undefined;
  let thinking: string | undefined;
  let hasDelta = false;
  const calls = new Map<string, { toolName: string; server?: string; isReady: boolean }>();
  const shells = new Map<string | undefined, { toolCallId?: string }>();
  const subagents = new Map<string, string>();
  const approvals = new Set<string>();

  function add(event: AgentEvent): void {
    if (isTerminalEvent(event)) hasFailed = true;
    switch (event.type) {
      case "session_start":
        sessionId = event.sessionId;
        break;
      case "session_resume":
        priorTurns = event.priorTurnCount;
        break;
      case "session_end":
        hasEnded = true;
        break;
      case "turn_start":
        turn = event.turnIndex;
        turns += 1;
        break;
      case "turn_end":
        turn = undefined;
        break;
      case "step_start":
        step = event.stepIndex;
        break;
      case "step_end":
        step = undefined;
        break;
      case "message_start":
        message = "";
        hasDelta = false;
        break;
      case "text_delta":
        message = (message ?? "") + event.delta;
        hasDelta = true;
        break;
      case "message_stop":
        message = undefined;
        break;
      case "thinking_start":
        thinking = "";
        hasDelta = false;
        break;
      case "thinking_delta":
        thinking = (thinking ?? "") + event.delta;
        hasDelta = true;
        break;
      case "thinking_stop":
        thinking = undefined;
        break;
      case "tool_call_start":
        calls.set(event.toolCallId, { toolName: event.toolName, isReady: false });
        break;
      case "tool_call_ready":
        calls.set(event.toolCallId, { toolName: event.toolName, isReady: true });
        break;
      case "mcp_tool_call_start":
        calls.set(event.toolCallId, { toolName: event.toolName, server: event.server, isReady: true });
        break;
      case "tool_result":
      case "tool_error":
      case "mcp_tool_result":
      case "mcp_tool_error":
        calls.delete(event.toolCallId);
        break;
      case "shell_start":
        shells.set(event.toolCallId, event.toolCallId === undefined ? {} : { toolCallId: event.toolCallId });
        break;
      case "shell_exit":
        shells.delete(event.toolCallId);
        break;
      case "subagent_spawn":
        subagents.set(event.subagentId, event.agentName);
        break;
      case "subagent_result":
      case "subagent_error":
        subagents.delete(event.subagentId);
        break;
      case "approval_request":
        approvals.add(event.interactionId);
        break;
      case "approval_granted":
      case "approval_denied":
        approvals.delete(event.interactionId);
        break;
    }
  }

  function close(base: Pick<AgentEvent, "runId" | "agent" | "timestamp">, error: string): AgentEvent[] {
    if (hasEnded) return [];
    const closing: AgentEvent[] = [];
    if (sessionId === undefined) {
      sessionId = `transient-${base.runId}`;
      closing.push({ type: "session_start", ...base, sessionId, resumed: false });
    }
    if (!hasFailed) closing.push(...closeWork(base, error));
    closing.push({ type: "session_end", ...base, sessionId, turnCount: priorTurns + turns });
    return closing;
  }

  function closeWork(base: Pick<AgentEvent, "runId" | "agent" | "timestamp">, error: string): AgentEvent[] {
    const closing: AgentEvent[] = [];
    if (turn === undefined && subagents.size + approvals.size > 0) {
      turn = turns;
      turns += 1;
      closing.push({ type: "turn_start", ...base, turnIndex: turn });
    }
    if (message !== undefined) {
      if (!hasDelta) closing.push({ type: "text_delta", ...base, delta: "", accumulated: "" });
      closing.push({ type: "message_stop", ...base, text: message });
    }
    if (thinking !== undefined) {
      if (!hasDelta) closing.push({ type: "thinking_delta", ...base, delta: "", accumulated: "" });
      closing.push({ type: "thinking_stop", ...base, thinking });
    }
    for (const of of shells.values()) closing.push({ type: "shell_exit", ...base, exitCode: -1, durationMs: 0, ...of });
    for (const interactionId of approvals) {
      closing.push({ type: "approval_denied", ...base, interactionId, reason: error });
    }
    for (const [toolCallId, { toolName, server, isReady }] of calls) {
      const of = { toolCallId, toolName };
      if (!isReady) closing.push({ type: "tool_call_ready", ...base, ...of, input: null });
      if (server === undefined) closing.push({ type: "tool_error", ...base, ...of, error, outcome: "cancelled" });
      else closing.push({ type: "mcp_tool_error", ...base, ...of, server, error, durationMs: 0 });
    }
    for (const [subagentId, agentName] of subagents) {
      closing.push({ type: "subagent_error", ...base, subagentId, agentName, error });
    }
    if (turn !== undefined && step !== undefined) {
      closing.push({ type: "step_end", ...base, turnIndex: turn, stepIndex: step });
    }
    if (turn !== undefined) closing.push({ type: "turn_end", ...base, turnIndex: turn });
    return closing;
  }

  return { add, close };
}
