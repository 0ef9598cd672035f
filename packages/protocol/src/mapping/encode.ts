import type { AgentEvent } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Data } from "./conversion.ts";
import { startOnce } from "./derive.ts";
import { createPlans, type Plan } from "./plan.ts";
import { enter, initialState, leave, type StreamState } from "./state.ts";

/** An envelope without id and sequence, which the log assigns when it is appended. */
export interface Draft {
  type: EnvelopeType;
  /** Epoch milliseconds. */
  timestamp: number;
  data: Data;
  /** An additional envelope that the decoder skips. */
  derived: boolean;
}

/** A draft whose data is JSON text, made without an object in between. This is what a log appends. */
export interface TextDraft extends Omit<Draft, "data"> {
  json: string;
}

export interface Encoder {
  encode(event: AgentEvent): Draft[];
  /** Like `encode`, but with the data as JSON text. */
  encodeText(event: AgentEvent): TextDraft[];
  /** The `tool.started` of a call that a rule allowed, of which no event tells; nothing if the call has started already. */
  startText(toolCallId: string, timestamp: number): TextDraft[];
}

/** How an encoder reads a stream. */
export interface EncoderOptions {
  /** Whether `startText` makes every `tool.started`, so that none follows from other events. */
  startsAreTold?: boolean;
}

/**
 * Turns the AgentEvents of one run, in order, into drafts of envelopes: exactly one primary draft
 * for each event, and derived ones. The stream should keep the contract; for others the drafts may lack context.
 *
 * @example
 * ```ts
 * import { type AgentEvent, createEncoder } from "@spoor/protocol";
 *
 * declare const events: AgentEvent[];
 * const encoder = createEncoder();
 * for (const event of events) {
 *   for (const { type, data } of encoder.encode(event)) console.log(type, data);
 * }
 * ```
 */
export function createEncoder({ startsAreTold = false }: EncoderOptions = {}): Encoder {
  const state = { ...initialState(), startsAreTold };
  const planFor = createPlans();
  return {
    encode(event) {
      enter(state, event);
      const plan = planFor(event);
      const primary = objectDraft(plan.type, event.timestamp, plan.data(event, state), false);
      const drafts = plan.derived.length === 0 ? [primary] : withDerived(plan, event, state, primary, objectDraft);
      leave(state, event);
      return drafts;
    },
    encodeText(event) {
      enter(state, event);
      const plan = planFor(event);
      const { timestamp } = event;
      const primary: TextDraft = { type: plan.type, timestamp, json: plan.text(event, state), derived: false };
      const drafts = plan.derived.length === 0 ? [primary] : withDerived(plan, event, state, primary, textDraft);
      leave(state, event);
      return drafts;
    },
    startText(toolCallId, timestamp) {
      const data = startOnce(toolCallId, state);
      return data ? [textDraft("tool.started", timestamp, data, true)] : [];
    },
  };
}

const objectDraft = (type: EnvelopeType, timestamp: number, data: Data, derived: boolean): Draft => ({
  type,
  timestamp,
  data,
  derived,
});

const textDraft = (type: EnvelopeType, timestamp: number, data: Data, derived: boolean): TextDraft => ({
  type,
  timestamp,
  json: JSON.stringify(data),
  derived,
});

function withDerived<Made>(
  { derived }: Plan,
  event: AgentEvent,
  state: StreamState,
  primary: Made,
  make: (type: EnvelopeType, timestamp: number, data: Data, derived: boolean) => Made,
): Made[] {
  const drafts = [primary];
  for (const derivation of derived) {
    const data = derivation.make(event, state);
    if (!data) continue;
    const draft = make(derivation.type, event.timestamp, data, true);
    if (derivation.place === "after") drafts.push(draft);
    else drafts.splice(drafts.indexOf(primary), 0, draft);
  }
  return drafts;
}
