import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import { createDebugRedactor } from "./debug.ts";
import { REPLACEMENT_START, type RedactionStream, type Scanner } from "./scanner.ts";
import { mapTexts } from "./values.ts";

export interface EventRedactor {
  /** What may be told of the event, and of earlier ones now: none while all of it may still become a secret. */
  redact(event: AgentEvent): AgentEvent[];
  /** Nothing more comes: what was held back. */
  flush(timestamp: number): AgentEvent[];
  /** Whether anything was ever taken out. */
  readonly hasRedacted: boolean;
  /** Whether something of an event of these types is held back. */
  isHolding(matters: (type: AgentEvent["type"]) => boolean): boolean;
}

type DeltaEvent = AgentEventOf<
  "text_delta" | "thinking_delta" | "tool_input_delta" | "shell_stdout_delta" | "shell_stderr_delta"
>;

type LogEvent = AgentEventOf<"log">;

/**
 * Takes secrets out of the events of one run. Pieces of text are redacted as the stream they are, so that a secret is
 * found wherever it was cut, and the sum of the pieces stays the whole text that follows them.
 */
export function createEventRedactor(scanner: Scanner): EventRedactor {
  const spans = new Map<string, Span>();
  const debug = createDebugRedactor(scanner);
  let hasRedacted = false;

  function redact(event: AgentEvent): AgentEvent[] {
    if (event.type === "debug") return debug.push(event).map(toldDebug);
    const waited = endsAll(event) ? debug.flush(event.timestamp) : debug.pass(event.timestamp);
    return waited.length === 0 ? redactOther(event) : [...waited.map(toldDebug), ...redactOther(event)];
  }

  function toldDebug(event: AgentEventOf<"debug">): AgentEvent {
    note(event.message);
    return redactTexts(event);
  }

  function redactOther(event: AgentEvent): AgentEvent[] {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
      case "tool_input_delta":
      case "shell_stdout_delta":
      case "shell_stderr_delta":
        return push(event);
      case "tool_call_start":
        return [start(event)];
      case "log":
        return pushLog(event);
      default: {
        const released = spans.size === 0 ? [] : close(keysEndedBy(event, spans.keys()), event.timestamp);
        released.push(redactTexts(event));
        return released;
      }
    }
  }

  function push(event: DeltaEvent): AgentEvent[] {
    const span = spanOf(keyOf(event));
    const told = span.stream.push(event.delta);
    const earlier = span.last;
    span.last = event;
    if (told === event.delta && !span.differs && event.raw === undefined) return [event];
    if (!span.differs) {
      span.differs = true;
      span.told = earlier ? accumulatedOf(earlier) : "";
    }
    return told === "" && event.delta !== "" ? [] : [piece(span, event, told)];
  }

  /** What input is there from the start is the first piece. */
  function start(event: AgentEventOf<"tool_call_start">): AgentEvent {
    const { toolCallId, inputAccumulated, ...rest } = event;
    const changed = redactTexts({ ...rest, toolCallId, inputAccumulated: "" });
    if (inputAccumulated === "") return { ...changed, inputAccumulated } as AgentEvent;
    const span = spanOf(`input ${toolCallId}`);
    span.told = span.stream.push(inputAccumulated);
    span.differs = span.told !== inputAccumulated;
    const { runId, agent, timestamp } = event;
    const last = { runId, agent, timestamp, toolCallId, delta: "", inputAccumulated: span.told };
    span.last = { type: "tool_input_delta", ...last };
    note(span.told);
    return { ...changed, inputAccumulated: span.told } as AgentEvent;
  }

  /** Lines of output are one text too: a private key goes over many. */
  function pushLog(event: LogEvent): AgentEvent[] {
    const text = `${event.line}\n`;
    const span = spanOf(`log ${event.source}`);
    const told = span.stream.push(text);
    span.last = event;
    if (told === text && span.told === "") {
      return [event.raw === undefined ? event : redactTexts(event)];
    }
    return linesOf(span, event, told);
  }

  /** The whole lines of what is told by now; the start of another waits for its end. */
  function linesOf(span: Span, event: LogEvent, told: string): AgentEvent[] {
    note(told);
    const lines = (span.told + told).split("\n");
    span.told = lines.pop() as string;
    const { raw: _, ...rest } = event;
    return lines.map((line) => ({ ...rest, line }));
  }

  /** Before a span ends, what was held back of it is told. */
  function close(keys: Iterable<string>, timestamp: number): AgentEvent[] {
    return [...keys].flatMap((key) => {
      const span = spans.get(key);
      spans.delete(key);
      if (!span?.last) return [];
      const rest = span.stream.flush();
      const last = { ...span.last, timestamp };
      if (last.type === "log") return rest + span.told === "" ? [] : linesOf(span, last, ensureNewline(rest));
      return rest === "" ? [] : [piece(span, last, rest)];
    });
  }

  function piece(span: Span, event: DeltaEvent, delta: string): AgentEvent {
    span.told += delta;
    note(delta);
    const made = { ...event, delta } as DeltaEvent;
    if ("accumulated" in made) made.accumulated = span.told;
    if ("inputAccumulated" in made) made.inputAccumulated = span.told;
    if (made.raw !== undefined) made.raw = scanner.redact(made.raw);
    return made;
  }

  function redactTexts(event: AgentEvent): AgentEvent {
    let changed: Record<string, unknown> | undefined;
    for (const [name, value] of Object.entries(event)) {
      if (typeof value === "number" || ours.has(name)) continue;
      const redacted = mapTexts(value, scanner.redact);
      if (redacted !== value) changed = { ...(changed ?? event), [name]: redacted };
    }
    if (changed) hasRedacted = true;
    return (changed ?? event) as AgentEvent;
  }

  function note(text: string): void {
    hasRedacted ||= text.includes(REPLACEMENT_START);
  }

  function spanOf(key: string): Span {
    const known = spans.get(key);
    if (known) return known;
    const span: Span = { stream: scanner.stream(), told: "", differs: false, last: undefined };
    spans.set(key, span);
    return span;
  }

  return {
    redact,
    flush: (timestamp) => [...debug.flush(timestamp).map(toldDebug), ...close(spans.keys(), timestamp)],
    get hasRedacted() {
      return hasRedacted;
    },
    isHolding(matters) {
      if (debug.isHolding && matters("debug")) return true;
      for (const { stream, told, last } of spans.values()) {
        if (last && (stream.isHolding || (last.type === "log" && told !== "")) && matters(last.type)) return true;
      }
      return false;
    },
  };
}

interface Span {
  stream: RedactionStream;
  /** All that was told of it, once that differs; until then it is what the agent told. */
  told: string;
  /** Whether what was told is, or was for a while, not what the agent told. */
  differs: boolean;
  last: DeltaEvent | LogEvent | undefined;
}

const ensureNewline = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

function accumulatedOf(event: DeltaEvent | LogEvent): string {
  if ("accumulated" in event) return event.accumulated;
  return "inputAccumulated" in event ? event.inputAccumulated : "";
}

function keyOf(event: DeltaEvent): string {
  switch (event.type) {
    case "text_delta":
      return "text";
    case "thinking_delta":
      return "thinking";
    case "tool_input_delta":
      return `input ${event.toolCallId}`;
    case "shell_stdout_delta":
      return `stdout ${event.toolCallId ?? ""}`;
    case "shell_stderr_delta":
      return `stderr ${event.toolCallId ?? ""}`;
  }
}

const endsAll = ({ type }: AgentEvent): boolean => type === "turn_end" || type === "session_end";

/** Of the open spans, those that the event ends. One that ends a turn ends all in it, also where it was forgotten to say. */
function keysEndedBy(event: AgentEvent, open: Iterable<string>): string[] {
  switch (event.type) {
    case "message_start":
    case "message_stop":
      return ["text"];
    case "thinking_start":
    case "thinking_stop":
      return ["thinking"];
    case "tool_call_ready":
      return [`input ${event.toolCallId}`];
    case "shell_start":
    case "shell_exit":
      return [`stdout ${event.toolCallId ?? ""}`, `stderr ${event.toolCallId ?? ""}`];
    case "turn_end":
      return [...open].filter((key) => !key.startsWith("log "));
    case "session_end":
      return [...open];
    default:
      return [];
  }
}

/** Not the agent's words. */
const ours = new Set(["type", "runId", "agent"]);
