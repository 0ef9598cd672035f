import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import { isTerminalEvent, type SpanName, spanKeyOf, spanRoleOf } from "@spoor/protocol/write";

type Base = Pick<AgentEvent, "runId" | "agent" | "timestamp">;

export interface Closer {
  add(event: AgentEvent): void;
  /** Returns the events that close every open span, so that a run which broke off keeps the contract. */
  close(base: Base, why: string): AgentEvent[];
}

/** Follows a run's events and remembers which spans are open. */
export function createCloser(): Closer {
  /** In the order in which they opened. */
  const open = new Map<string, OpenSpan>();
  let sessionId: string | undefined;
  let hasEnded = false;
  let hasFailed = false;
  let priorTurns = 0;
  let turns = 0;

  function add(event: AgentEvent): void {
    if (isTerminalEvent(event)) hasFailed = true;
    if (event.type === "session_start") sessionId = event.sessionId;
    if (event.type === "session_resume") priorTurns = event.priorTurnCount;
    if (event.type === "session_end") hasEnded = true;
    if (event.type === "turn_start") turns += 1;
    follow(event);
  }

  function follow(event: AgentEvent): void {
    const place = spanRoleOf(event.type);
    if (!place) return;
    const { name, span, role } = place;
    const key = `${name} ${spanKeyOf(event, span)}`;
    if (role === "end") {
      open.delete(key);
      return;
    }
    // Its start may have been pruned. A delta names no tool and no command, so it opens only spans that need no name.
    const isOpening = role === "start" || (!open.has(key) && (role === "ready" || span.key === undefined));
    if (isOpening) open.set(key, { name, opening: event, text: "", hasDelta: false, isReady: false });
    const opened = open.get(key);
    if (!opened) return;
    if (role === "ready") opened.isReady = true;
    if (role === "delta") {
      opened.hasDelta = true;
      if (isSpoken(event)) opened.text += event.delta;
    }
  }

  function close(base: Base, error: string): AgentEvent[] {
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

  function closeWork(base: Base, error: string): AgentEvent[] {
    const left = [...open.values()];
    const closing: AgentEvent[] = [];
    const isInTurn = left.some(({ name }) => name === "turn");
    // Subagents and approvals outlive turns, but they must end inside a turn.
    if (!isInTurn && left.some(({ name }) => name === "subagent" || name === "approval")) {
      const opening: AgentEvent = { type: "turn_start", ...base, turnIndex: turns };
      turns += 1;
      closing.push(opening);
      left.push({ name: "turn", opening, text: "", hasDelta: false, isReady: false });
    }
    for (const { names, close } of closings) {
      for (const opened of left) if (names.includes(opened.name)) closing.push(...close(opened, base, error));
    }
    return closing;
  }

  return { add, close };
}

interface OpenSpan {
  name: SpanName;
  /** Its start event, or the first event of it that was seen. */
  opening: AgentEvent;
  text: string;
  hasDelta: boolean;
  isReady: boolean;
}

/** Only these texts are repeated whole in the event that ends the span. */
const isSpoken = (event: AgentEvent): event is AgentEventOf<"text_delta" | "thinking_delta"> =>
  event.type === "text_delta" || event.type === "thinking_delta";

interface Closing {
  names: readonly SpanName[];
  close(opened: OpenSpan, base: Base, error: string): AgentEvent[];
}

/** How each kind of span is closed, in this order: inner spans before those around them. The session comes last. */
const closings: readonly Closing[] = [
  {
    names: ["message"],
    close: ({ text, hasDelta }, base) => [
      ...(hasDelta ? [] : [{ type: "text_delta" as const, ...base, delta: "", accumulated: "" }]),
      { type: "message_stop", ...base, text },
    ],
  },
  {
    names: ["thinking"],
    close: ({ text, hasDelta }, base) => [
      ...(hasDelta ? [] : [{ type: "thinking_delta" as const, ...base, delta: "", accumulated: "" }]),
      { type: "thinking_stop", ...base, thinking: text },
    ],
  },
  {
    names: ["shell"],
    close({ opening }, base) {
      const { toolCallId } = opening as AgentEventOf<"shell_start">;
      const call = toolCallId === undefined ? {} : { toolCallId };
      return [{ type: "shell_exit", ...base, exitCode: -1, durationMs: 0, ...call }];
    },
  },
  {
    names: ["approval"],
    close({ opening }, base, reason) {
      const { interactionId } = opening as AgentEventOf<"approval_request">;
      return [{ type: "approval_denied", ...base, interactionId, reason }];
    },
  },
  {
    names: ["toolCall", "mcpCall"],
    close({ opening, isReady }, base, error) {
      const { type, toolCallId, toolName, ...more } = opening as AgentEventOf<
        "tool_call_start" | "mcp_tool_call_start"
      >;
      const call = { toolCallId, toolName };
      if ("server" in more) {
        return [
          { type: "mcp_tool_error", ...base, ...call, server: more.server, error, durationMs: 0, outcome: "cancelled" },
        ];
      }
      return [
        ...(isReady ? [] : [{ type: "tool_call_ready" as const, ...base, ...call, input: null }]),
        { type: "tool_error", ...base, ...call, error, outcome: "cancelled" },
      ];
    },
  },
  {
    names: ["subagent"],
    close({ opening }, base, error) {
      const { subagentId, agentName } = opening as AgentEventOf<"subagent_spawn">;
      return [{ type: "subagent_error", ...base, subagentId, agentName, error }];
    },
  },
  {
    names: ["step"],
    close({ opening }, base) {
      const { turnIndex, stepIndex } = opening as AgentEventOf<"step_start">;
      return [{ type: "step_end", ...base, turnIndex, stepIndex }];
    },
  },
  {
    names: ["turn"],
    close({ opening }, base) {
      const { turnIndex } = opening as AgentEventOf<"turn_start">;
      return [{ type: "turn_end", ...base, turnIndex }];
    },
  },
];
