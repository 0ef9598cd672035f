import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "./catalog.ts";

/** Events that belong together: one start, any number of deltas, one end. */
export interface Span {
  readonly start: AgentEventTypeLiteral;
  readonly deltas: readonly SpanText[];
  /** The event that completes the text of a span that continues afterwards. */
  readonly ready?: AgentEventTypeLiteral;
  /** Exactly one of these follows the start. */
  readonly ends: readonly AgentEventTypeLiteral[];
  /** The field that identifies a span of this kind. Without it, at most one such span is open at a time. */
  readonly key?: "toolCallId" | "subagentId" | "interactionId";
  /** The span that contains it. It must end before that one does. */
  readonly scope: "run" | "session" | "turn";
}

/** A text of a span, which arrives in deltas of this type. */
export interface SpanText {
  readonly type: AgentEventTypeLiteral;
  /** The field that holds the text so far: in the deltas, and in the start event if the text does not begin empty. */
  readonly accumulated?: "accumulated" | "inputAccumulated";
}

/**
 * The table of spans. The recorder closes, the redactor holds back, the selection leaves out and the decoder rebuilds by
 * it. The contract checker does not use it: the checker is what judges them.
 */
export const spans = {
  session: { start: "session_start", deltas: [], ends: ["session_end"], scope: "run" },
  turn: { start: "turn_start", deltas: [], ends: ["turn_end"], scope: "session" },
  step: { start: "step_start", deltas: [], ends: ["step_end"], scope: "turn" },
  message: {
    start: "message_start",
    deltas: [{ type: "text_delta", accumulated: "accumulated" }],
    ends: ["message_stop"],
    scope: "turn",
  },
  thinking: {
    start: "thinking_start",
    deltas: [{ type: "thinking_delta", accumulated: "accumulated" }],
    ends: ["thinking_stop"],
    scope: "turn",
  },
  toolCall: {
    start: "tool_call_start",
    deltas: [{ type: "tool_input_delta", accumulated: "inputAccumulated" }],
    ready: "tool_call_ready",
    ends: ["tool_result", "tool_error"],
    key: "toolCallId",
    scope: "turn",
  },
  mcpCall: {
    start: "mcp_tool_call_start",
    deltas: [],
    ends: ["mcp_tool_result", "mcp_tool_error"],
    key: "toolCallId",
    scope: "turn",
  },
  /** Shells without a `toolCallId` share one key. */
  shell: {
    start: "shell_start",
    deltas: [{ type: "shell_stdout_delta" }, { type: "shell_stderr_delta" }],
    ends: ["shell_exit"],
    key: "toolCallId",
    scope: "turn",
  },
  /** A subagent may work in the background and report turns later. */
  subagent: {
    start: "subagent_spawn",
    deltas: [],
    ends: ["subagent_result", "subagent_error"],
    key: "subagentId",
    scope: "session",
  },
  approval: {
    start: "approval_request",
    deltas: [],
    ends: ["approval_granted", "approval_denied"],
    key: "interactionId",
    scope: "session",
  },
} as const satisfies Readonly<Record<string, Span>>;

export type SpanName = keyof typeof spans;
export type DeltaEvent = AgentEventOf<(typeof spans)[SpanName]["deltas"][number]["type"]>;

/** The role of an event in its span. */
export interface SpanRole {
  readonly name: SpanName;
  readonly span: Span;
  readonly role: "start" | "delta" | "ready" | "end";
  /** The text that a delta adds to; all texts of the span for its other events. */
  readonly texts: readonly SpanText[];
}

/** Undefined for events that belong to no span. */
export const spanRoleOf = (type: AgentEventTypeLiteral): SpanRole | undefined => roles.get(type);

/** Whether an event is a piece of a longer text, such as `text_delta`. */
export const isDelta = (event: AgentEvent): event is DeltaEvent => roles.get(event.type)?.role === "delta";

/** Identifies the span of an event among the open spans of its kind; empty for kinds with at most one open span. */
export function spanKeyOf(event: AgentEvent, { key }: Span): string {
  return key === undefined ? "" : String((event as { [name: string]: unknown })[key] ?? "");
}

/** Unique among the texts of a run that are incomplete at the same time. */
export const textKeyOf = ({ type }: SpanText, event: AgentEvent, span: Span): string =>
  `${type} ${spanKeyOf(event, span)}`;

const roles: ReadonlyMap<AgentEventTypeLiteral, SpanRole> = new Map(
  (Object.entries(spans) as [SpanName, Span][]).flatMap(([name, span]) => {
    const role = (type: AgentEventTypeLiteral, role: SpanRole["role"], texts = span.deltas) =>
      [type, { name, span, role, texts }] as const;
    return [
      role(span.start, "start"),
      ...span.deltas.map((text) => role(text.type, "delta", [text])),
      ...(span.ready === undefined ? [] : [role(span.ready, "ready")]),
      ...span.ends.map((type) => role(type, "end")),
    ];
  }),
);
