import { type AgentEvent, type AgentEventTypeLiteral, agentEventSchema } from "../agent-events/catalog.ts";
import { isInteractionEvent } from "../agent-events/guards.ts";
import { canonical } from "../envelope/aliases.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { unprefixed } from "../envelope/ids.ts";
import { Kind, type TSchema } from "../schema.ts";
import type { Data } from "./conversion.ts";
import { mappingTable, type Row } from "./table.ts";

/** Everything the decoder remembers; plain JSON, so that reading can go on elsewhere or later. */
export interface DecoderState {
  agent: string;
  /** Whether the agent's part of the run is under way. */
  session: "before" | "open" | "ended";
  text: string;
  thinking: string;
  /** Input text so far of the calls that are being written, by call. */
  inputs: [toolCallId: string, input: string][];
}

export interface Decoder {
  /** The AgentEvent an envelope stands for, or undefined when it stands for none: run, user, derived and unknown types. */
  decode(envelope: Envelope): AgentEvent | undefined;
  /** A copy to be kept and given to another decoder. */
  save(): DecoderState;
}

/**
 * Turns the envelopes of one run, in order and from its beginning, back into AgentEvents. To start further on, give it
 * the state saved there.
 */
export function createDecoder({ agent = "unknown", state }: { agent?: string; state?: DecoderState } = {}): Decoder {
  const start = state ?? { agent, session: "before", text: "", thinking: "", inputs: [] };
  const current: Memory = { ...start, inputs: new Map(start.inputs) };

  return {
    decode(received) {
      const envelope = canonical(received);
      if (namesAgent(envelope)) current.agent = envelope.data.agent as string;
      if (isGap(envelope)) joinAfterGap(current);
      const row = rowsByType.get(envelope.type)?.find((candidate) => marked(candidate, envelope.data));
      if (!row) return undefined;
      const event = { ...read(row, envelope), ...head(row, envelope, current) } as unknown as AgentEvent;
      return rebuild(event, current);
    },
    save: () => ({ ...current, inputs: [...current.inputs] }),
  };
}

/** A run says which agent runs where it begins, and where it goes on after events that are gone. */
export const namesAgent = (envelope: Envelope): boolean =>
  (envelope.type === "run.created" || isGap(envelope)) && typeof envelope.data.agent === "string";

/** Whether it stands for events that are gone. */
export const isGap = ({ type }: Envelope): boolean => type === "gap.events_pruned" || type === "gap.events_lost";

/** The stream is joined in the middle: the session may have opened, and spans may have begun, in what is gone. */
function joinAfterGap(state: Memory): void {
  if (state.session === "before") state.session = "open";
  state.text = "";
  state.thinking = "";
  state.inputs.clear();
}

type Memory = Omit<DecoderState, "inputs"> & { inputs: Map<string, string> };

const rowsByType = new Map<string, Row[]>();
for (const row of mappingTable) rowsByType.set(row.type, [...(rowsByType.get(row.type) ?? []), row]);

const marked = (row: Row, data: Data): boolean =>
  (row.marks ?? []).every((name) => {
    const fixed = row.fixed?.[name];
    return fixed === undefined ? data[name] !== undefined : data[name] === fixed;
  });

const head = (row: Row, envelope: Envelope, { agent }: Memory) => ({
  type: row.event,
  runId: unprefixed("run", envelope.run_id),
  agent,
  timestamp: Date.parse(envelope.occurred_at),
});

function read(row: Row, envelope: Envelope): Data {
  const event: Data = { ...row.when };
  for (const [name, conversion] of Object.entries(row.fields)) {
    const value = conversion.read(envelope.data) ?? missing(row.event, name);
    if (value !== undefined) event[name] = value;
  }
  if (envelope.type === "approval.timed_out") event.reason = `No answer after ${envelope.data.after_seconds} s.`;
  return event;
}

/** Puts back what is left out of envelopes, and keeps the decoder's own account of the stream. */
function rebuild(event: AgentEvent, state: Memory): AgentEvent | undefined {
  switch (event.type) {
    case "session_start":
      state.session = "open";
      break;
    case "session_end":
      state.session = "ended";
      break;
    case "message_start":
      state.text = "";
      break;
    case "text_delta":
      state.text += event.delta;
      event.accumulated = state.text;
      break;
    case "thinking_start":
      state.thinking = "";
      break;
    case "thinking_delta":
      state.thinking += event.delta;
      event.accumulated = state.thinking;
      break;
    case "tool_call_start":
      state.inputs.set(event.toolCallId, event.inputAccumulated);
      break;
    case "tool_input_delta":
      event.inputAccumulated = (state.inputs.get(event.toolCallId) ?? "") + event.delta;
      state.inputs.set(event.toolCallId, event.inputAccumulated);
      break;
    case "tool_call_ready":
      state.inputs.delete(event.toolCallId);
      break;
  }
  // An approval can also gate the start of a run, or be cancelled after its end: no word of the agent's.
  return isInteractionEvent(event) && state.session !== "open" ? undefined : event;
}

/** What stands in for a required field that a foreign writer left out. */
function missing(type: AgentEventTypeLiteral, name: string): unknown {
  const schema = agentEventSchema(type) as unknown as { properties: Record<string, TSchema>; required?: string[] };
  if (!schema.required?.includes(name)) return undefined;
  const field = schema.properties[name] as TSchema;
  if (field.anyOf) return (field.anyOf as { const: unknown }[])[0]?.const;
  if (field.minLength) return "unknown";
  return field.minimum ?? blanks[field[Kind]] ?? null;
}

const blanks: Record<string, unknown> = {
  String: "",
  Integer: 0,
  Number: 0,
  Boolean: false,
  // The only object a required field holds is a CostRecord.
  Object: { totalUsd: 0, inputTokens: 0, outputTokens: 0 },
};
