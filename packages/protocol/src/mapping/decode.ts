import { type AgentEvent, type AgentEventTypeLiteral, agentEventSchema } from "../agent-events/catalog.ts";
import { isInteractionEvent } from "../agent-events/guards.ts";
import { type SpanRole, spanRoleOf, textKeyOf } from "../agent-events/spans.ts";
import { canonical } from "../envelope/aliases.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { unprefixed } from "../envelope/ids.ts";
import { Kind, type TSchema } from "../schema.ts";
import type { Data } from "./conversion.ts";
import { mappingTable, type Row } from "./table.ts";

/** The state of a decoder. It is plain JSON, so that another process can continue later. */
export interface DecoderState {
  agent: string;
  /** Whether the agent's session has started or ended. */
  session: "before" | "open" | "ended";
  /** The texts that arrive in deltas and are not complete yet. */
  texts: [key: string, text: string][];
}

export interface Decoder {
  /** The AgentEvent that an envelope encodes. Undefined for run, user, derived and unknown types, which encode none. */
  decode(envelope: Envelope): AgentEvent | undefined;
  /** A copy of the state, to start another decoder with. */
  save(): DecoderState;
}

/**
 * Decodes the envelopes of one run, in order and from the beginning, into AgentEvents. To start further on, pass the state
 * that was saved there.
 *
 * @example
 * ```ts
 * import { createDecoder, type Envelope } from "@spoor/protocol";
 *
 * declare const envelopes: Envelope[];
 * const decoder = createDecoder();
 * for (const envelope of envelopes) {
 *   const event = decoder.decode(envelope);
 *   if (event?.type === "text_delta") console.log(event.delta);
 * }
 * ```
 */
export function createDecoder({ agent = "unknown", state }: { agent?: string; state?: DecoderState } = {}): Decoder {
  const start = state ?? { agent, session: "before", texts: [] };
  const current: Memory = { ...start, texts: new Map(start.texts) };

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
    save: () => ({ ...current, texts: [...current.texts] }),
  };
}

/** Whether the envelope names the agent: `run.created` does, and a gap event, because `run.created` may be missing. */
export const namesAgent = (envelope: Envelope): boolean =>
  (envelope.type === "run.created" || isGap(envelope)) && typeof envelope.data.agent === "string";

/** Whether the envelope replaces missing events. */
export const isGap = ({ type }: Envelope): boolean => type === "gap.events_pruned" || type === "gap.events_lost";

/** The session may have started, and spans may have opened, in the missing events. */
function joinAfterGap(state: Memory): void {
  if (state.session === "before") state.session = "open";
  state.texts.clear();
}

type Memory = Omit<DecoderState, "texts"> & { texts: Map<string, string> };

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

/** Restores the fields that envelopes leave out, and updates the decoder's state. */
function rebuild(event: AgentEvent, state: Memory): AgentEvent | undefined {
  if (event.type === "session_start") state.session = "open";
  if (event.type === "session_end") state.session = "ended";
  const role = spanRoleOf(event.type);
  if (role) rebuildTexts(event, role, state.texts);
  // An approval can also gate the start of a run, or be cancelled after its end; the agent did not ask for those.
  return isInteractionEvent(event) && state.session !== "open" ? undefined : event;
}

/** Adds to each delta the text so far. */
function rebuildTexts(event: AgentEvent, { role, span, texts }: SpanRole, soFar: Map<string, string>): void {
  for (const text of texts) {
    if (text.accumulated === undefined) continue;
    const key = textKeyOf(text, event, span);
    const fields = event as unknown as Record<string, string | undefined>;
    if (role === "delta") {
      fields[text.accumulated] = (soFar.get(key) ?? "") + fields.delta;
      soFar.set(key, fields[text.accumulated] ?? "");
    } else if (role === "start") soFar.set(key, fields[text.accumulated] ?? "");
    else soFar.delete(key);
  }
}

/** The default for a required field that a foreign writer left out. */
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
  // A CostRecord is the only object among required fields.
  Object: { totalUsd: 0, inputTokens: 0, outputTokens: 0 },
};
