import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";

/**
 * The signals that bring a new assembler to where the stored events of a run end: its session, the number of turns, the steps
 * and open calls of the turn that has not ended, and the cost so far. What the assembler returns for them is already stored.
 */
export function signalsOf(events: readonly AgentEvent[]): Signal[] {
  const session = events.find((event) => event.type === "session_start");
  if (!session) return [];
  const resume = events.find((event) => event.type === "session_resume");
  const cost = events.findLast((event) => event.type === "cost");
  return [
    {
      kind: "session",
      id: session.sessionId,
      resumed: session.resumed,
      ...(resume && { priorTurns: resume.priorTurnCount }),
      ...(session.forkedFrom !== undefined && { forkedFrom: session.forkedFrom }),
      ...(session.agentVersion !== undefined && { version: session.agentVersion }),
    },
    ...turnsOf(events),
    ...(cost ? [{ kind: "cost", cost: cost.cost } satisfies Signal] : []),
  ];
}

/** Turns that ended are only counted. */
function turnsOf(events: readonly AgentEvent[]): Signal[] {
  const starts = events.filter((event) => event.type === "turn_start");
  const isOpen = starts.length > events.filter(({ type }) => type === "turn_end").length;
  const signals = starts.flatMap((): Signal[] => [{ kind: "call" }, { kind: "promptDone" }]);
  if (!isOpen) return signals;
  const from = events.findLastIndex(({ type }) => type === "turn_start");
  return [...signals.slice(0, -1), ...openTurn(events.slice(from))];
}

/** Every step of the open turn, and its calls. Thoughts may not be stored, but their steps are. */
function openTurn(events: readonly AgentEvent[]): Signal[] {
  const ended = new Set(events.filter(isEnd).map(({ toolCallId }) => toolCallId));
  return events.flatMap((event, index): Signal[] => {
    if (event.type === "step_start") {
      const key = `restored-${index}`;
      if (event.stepType === "thinking")
        return [
          { kind: "thinking", key, delta: "…" },
          { kind: "thinkingDone", key },
        ];
      if (event.stepType === "generation")
        return [
          { kind: "text", key, delta: "…" },
          { kind: "textDone", key },
        ];
      return [];
    }
    if (event.type === "subagent_spawn") {
      const { subagentId: id, agentName: name, prompt, childRunId } = event;
      return [{ kind: "spawn", id, name, prompt, ...(childRunId !== undefined && { childRunId }) }];
    }
    if (event.type === "subagent_result" || event.type === "subagent_error")
      return [{ kind: "spawnEnd", id: event.subagentId }];
    if (event.type === "tool_call_ready") {
      const { toolCallId: id, toolName: name, toolKind, input } = event;
      const call = { id, name, input, ...(toolKind && { toolKind }) };
      return [{ kind: "toolReady", ...call }, ...endOf(id, ended)];
    }
    if (event.type === "mcp_tool_call_start") {
      const { toolCallId: id, server, toolName: tool, input } = event;
      const name = `mcp__${server}__${tool}`;
      return [{ kind: "toolReady", id, name, input, mcp: { server, tool } }, ...endOf(id, ended)];
    }
    return [];
  });
}

const endOf = (id: string, ended: ReadonlySet<string>): Signal[] => (ended.has(id) ? [{ kind: "toolEnd", id }] : []);

const isEnd = (
  event: AgentEvent,
): event is AgentEventOf<"tool_result" | "tool_error" | "mcp_tool_result" | "mcp_tool_error"> =>
  /^(mcp_)?tool_(result|error)$/.test(event.type);
