import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import { type DeltaEvent, isDelta, type Span, spanRoleOf, textKeyOf } from "@spoor/protocol/write";
import { createDebugRedactor } from "./debug.ts";
import { REPLACEMENT_START } from "./found.ts";
import type { RedactionStream, Scanner } from "./scanner.ts";
import { mapTexts } from "./values.ts";

/** Redacts the events of one run, in their order: a secret may be spread over several deltas. */
export interface EventRedactor {
  /**
   * Returns the events that can be recorded now, earlier ones included. Returns none while all of the event may still
   * turn out to be part of a secret.
   */
  redact(event: AgentEvent): AgentEvent[];
  /** No more events follow: returns what was held back. */
  flush(timestamp: number): AgentEvent[];
  /** Whether any secret was replaced so far. */
  readonly hasRedacted: boolean;
  /** Whether part of an event of these types is held back. */
  isHolding(matters: (type: AgentEvent["type"]) => boolean): boolean;
}

type LogEvent = AgentEventOf<"log">;

/**
 * Replaces secrets in the events of one run. The deltas of a span are redacted as one text, so that a secret is found
 * wherever it was cut, and the deltas still add up to the whole text that the end of the span repeats.
 */
export function createEventRedactor(scanner: Scanner): EventRedactor {
  const texts = new Map<string, Text>();
  const debug = createDebugRedactor(scanner);
  let hasRedacted = false;

  function redact(event: AgentEvent): AgentEvent[] {
    if (event.type === "debug") return debug.push(event).map(redactDebug);
    const isEnd = event.type === "turn_end" || event.type === "session_end";
    const released = isEnd ? debug.flush(event.timestamp) : debug.pass(event.timestamp);
    return released.length === 0 ? redactOther(event) : [...released.map(redactDebug), ...redactOther(event)];
  }

  function redactDebug(event: AgentEventOf<"debug">): AgentEvent {
    note(event.message);
    return redactFields(event);
  }

  function redactOther(event: AgentEvent): AgentEvent[] {
    if (isDelta(event)) return pushDelta(event);
    if (event.type === "tool_call_start") return [startInput(event)];
    if (event.type === "log") return pushLog(event);
    const released = texts.size === 0 ? [] : close(keysEndedBy(event), event.timestamp);
    released.push(redactFields(event));
    return released;
  }

  function pushDelta(event: DeltaEvent): AgentEvent[] {
    const text = textOf(event);
    const written = text.stream.push(event.delta);
    const earlier = text.last;
    text.last = event;
    if (written === event.delta && !text.differs && event.raw === undefined) return [event];
    if (!text.differs) {
      text.differs = true;
      text.written = earlier ? accumulatedOf(earlier) : "";
    }
    return written === "" && event.delta !== "" ? [] : [piece(text, event, written)];
  }

  /** A call may start with part of its input, which is then the first piece of that text. */
  function startInput(event: AgentEventOf<"tool_call_start">): AgentEvent {
    const { toolCallId, inputAccumulated, ...rest } = event;
    const changed = redactFields({ ...rest, toolCallId, inputAccumulated: "" });
    if (inputAccumulated === "") return { ...changed, inputAccumulated } as AgentEvent;
    const { runId, agent, timestamp } = event;
    const delta = { type: "tool_input_delta", runId, agent, timestamp, toolCallId, delta: "" } as const;
    const text = textOf({ ...delta, inputAccumulated });
    text.written = text.stream.push(inputAccumulated);
    text.differs = text.written !== inputAccumulated;
    text.last = { ...delta, inputAccumulated: text.written };
    note(text.written);
    return { ...changed, inputAccumulated: text.written } as AgentEvent;
  }

  /** The log lines of one stream are one text too, because a private key covers many lines. */
  function pushLog(event: LogEvent): AgentEvent[] {
    const line = `${event.line}\n`;
    const text = textOf(event);
    const written = text.stream.push(line);
    text.last = event;
    if (written === line && text.written === "") {
      return [event.raw === undefined ? event : redactFields(event)];
    }
    return linesOf(text, event, written);
  }

  /** Makes an event of each whole line. The beginning of the next line stays in `written`. */
  function linesOf(text: Text, event: LogEvent, written: string): AgentEvent[] {
    note(written);
    const lines = (text.written + written).split("\n");
    text.written = lines.pop() as string;
    const { raw: _, ...rest } = event;
    return lines.map((line) => ({ ...rest, line }));
  }

  /** Writes what was held back of texts that are complete. */
  function close(keys: Iterable<string>, timestamp: number): AgentEvent[] {
    return [...keys].flatMap((key) => {
      const text = texts.get(key);
      texts.delete(key);
      if (!text?.last) return [];
      const rest = text.stream.flush();
      const last = { ...text.last, timestamp };
      if (last.type === "log") return rest + text.written === "" ? [] : linesOf(text, last, ensureNewline(rest));
      return rest === "" ? [] : [piece(text, last, rest)];
    });
  }

  function piece(text: Text, event: DeltaEvent, delta: string): AgentEvent {
    text.written += delta;
    note(delta);
    const made = { ...event, delta } as DeltaEvent;
    if ("accumulated" in made) made.accumulated = text.written;
    if ("inputAccumulated" in made) made.inputAccumulated = text.written;
    if (made.raw !== undefined) made.raw = scanner.redact(made.raw);
    return made;
  }

  function redactFields(event: AgentEvent): AgentEvent {
    let changed: Record<string, unknown> | undefined;
    for (const [name, value] of Object.entries(event)) {
      if (typeof value === "number" || safeFields.has(name)) continue;
      const redacted = mapTexts(value, scanner.redact);
      if (redacted !== value) changed = { ...(changed ?? event), [name]: redacted };
    }
    if (changed) hasRedacted = true;
    return (changed ?? event) as AgentEvent;
  }

  function note(text: string): void {
    hasRedacted ||= text.includes(REPLACEMENT_START);
  }

  function textOf(event: DeltaEvent | LogEvent): Text {
    const { key, scope } = placeOf(event);
    const known = texts.get(key);
    if (known) return known;
    const text: Text = { stream: scanner.stream(), scope, written: "", differs: false, last: undefined };
    texts.set(key, text);
    return text;
  }

  /**
   * Returns the keys of the texts that the event completes. The end of a turn or session completes every text in it that is
   * still open.
   */
  function keysEndedBy(event: AgentEvent): string[] {
    const place = spanRoleOf(event.type);
    if (!place) return [];
    if (place.role === "end" && place.name === "session") return [...texts.keys()];
    if (place.role === "end" && place.name === "turn") {
      return [...texts].filter(([, { scope }]) => scope === "turn").map(([key]) => key);
    }
    return place.texts.map((text) => textKeyOf(text, event, place.span));
  }

  return {
    redact,
    flush: (timestamp) => [...debug.flush(timestamp).map(redactDebug), ...close(texts.keys(), timestamp)],
    get hasRedacted() {
      return hasRedacted;
    },
    isHolding(matters) {
      if (debug.isHolding && matters("debug")) return true;
      for (const { stream, written, last } of texts.values()) {
        if (last && (stream.isHolding || (last.type === "log" && written !== "")) && matters(last.type)) return true;
      }
      return false;
    },
  };
}

/** A text that arrives in pieces. */
interface Text {
  stream: RedactionStream;
  scope: Span["scope"];
  /**
   * For deltas: all text that was written, as soon as it differs from the agent's text. For logs: the beginning of the
   * current line.
   */
  written: string;
  /** Whether what was written differs, or differed for a while, from the agent's text. */
  differs: boolean;
  last: DeltaEvent | LogEvent | undefined;
}

const ensureNewline = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

function accumulatedOf(event: DeltaEvent | LogEvent): string {
  if ("accumulated" in event) return event.accumulated;
  return "inputAccumulated" in event ? event.inputAccumulated : "";
}

function placeOf(event: DeltaEvent | LogEvent): { key: string; scope: Span["scope"] } {
  const role = spanRoleOf(event.type);
  const [text] = role?.texts ?? [];
  if (role && text) return { key: textKeyOf(text, event, role.span), scope: role.span.scope };
  return { key: `log ${(event as LogEvent).source}`, scope: "session" };
}

/** Fields that Spoor fills in, so they contain no text from the agent. */
const safeFields = new Set(["type", "runId", "agent"]);
