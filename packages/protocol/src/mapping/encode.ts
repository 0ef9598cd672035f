import type { AgentEvent, AgentEventTypeLiteral } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Data } from "./conversion.ts";
import type { Derivation } from "./derive.ts";
import { enter, initialState, leave, type StreamState } from "./state.ts";
import { mappingTable, type Row } from "./table.ts";

/** An envelope without its place in the log: the log gives it an id and a sequence when it is appended. */
export interface Draft {
  type: EnvelopeType;
  /** Epoch milliseconds. */
  timestamp: number;
  data: Data;
  /** Made beside the primary envelope; carries nothing the way back needs. */
  derived: boolean;
}

/** The same with its data as JSON text, made without an object in between: what a log appends. */
export interface TextDraft extends Omit<Draft, "data"> {
  json: string;
}

export interface Encoder {
  encode(event: AgentEvent): Draft[];
  /** `encode`, for those who only want to write it down. */
  encodeText(event: AgentEvent): TextDraft[];
}

/**
 * Turns the AgentEvents of one run, in order, into drafts of envelopes: exactly one primary each, and the derived ones.
 * Expects a stream that keeps the contract; on others it still answers, with what it knows.
 */
export function createEncoder(): Encoder {
  const state = initialState();
  return {
    encode(event) {
      enter(state, event);
      const plan = planFor(event);
      const { timestamp } = event;
      const primary: Draft = { type: plan.row.type, timestamp, data: plan.data(event, state), derived: false };
      const drafts = withDerived(plan, event, state, primary, (type, data) => ({
        type,
        timestamp,
        data,
        derived: true,
      }));
      leave(state, event);
      return drafts;
    },
    encodeText(event) {
      enter(state, event);
      const plan = planFor(event);
      const { timestamp } = event;
      const primary: TextDraft = { type: plan.row.type, timestamp, json: plan.text(event, state), derived: false };
      const drafts = withDerived(plan, event, state, primary, (type, data) => ({
        type,
        timestamp,
        json: JSON.stringify(data),
        derived: true,
      }));
      leave(state, event);
      return drafts;
    },
  };
}

function withDerived<Made>(
  { derived }: Plan,
  event: AgentEvent,
  state: StreamState,
  primary: Made,
  make: (type: EnvelopeType, data: Data) => Made,
): Made[] {
  const drafts = [primary];
  for (const derivation of derived) {
    const data = derivation.make(event, state);
    if (!data) continue;
    const draft = make(derivation.type, data);
    if (derivation.place === "after") drafts.push(draft);
    else drafts.splice(drafts.indexOf(primary), 0, draft);
  }
  return drafts;
}

interface Plan {
  row: Row;
  derived: readonly Derivation[];
  data(event: AgentEvent, state: StreamState): Data;
  text(event: AgentEvent, state: StreamState): string;
}

const plansByEvent = new Map<AgentEventTypeLiteral, Plan[]>();
for (const row of mappingTable) {
  if (row.readOnly) continue;
  const plans = plansByEvent.get(row.event) ?? [];
  plansByEvent.set(row.event, [...plans, planOf(row)]);
}

function planFor(event: AgentEvent): Plan {
  const plans = plansByEvent.get(event.type);
  const plan = plans?.length === 1 ? plans[0] : plans?.find(({ row }) => holds(row.when, event as unknown as Data));
  if (!plan) throw new TypeError(`No AgentEvent is of type ${JSON.stringify(event.type)}.`);
  return plan;
}

/** Rows are read once, here: what runs per event are plain loops over arrays. */
function planOf(row: Row): Plan {
  const adds = Object.entries(row.adds ?? {}).map(([to, context]) => ({ to, label: label(to), value: context.value }));
  const fields = Object.entries(row.fields);
  const renamed = fields.flatMap(([from, { rename }]) =>
    rename === undefined ? [] : [{ from, to: rename, label: label(rename) }],
  );
  const converted = fields.flatMap(([from, { rename, write }]) => (rename === undefined ? [{ from, write }] : []));
  const opening = JSON.stringify(row.fixed ?? {}).slice(0, -1);

  function data(event: AgentEvent, state: StreamState): Data {
    const data: Data = { ...row.fixed };
    for (const { to, value } of adds) {
      const added = value(event, state);
      if (added !== undefined) data[to] = added;
    }
    for (const { from, to } of renamed) {
      const value = (event as unknown as Data)[from];
      if (value !== undefined) data[to] = value;
    }
    for (const { from, write } of converted) {
      const value = (event as unknown as Data)[from];
      if (value !== undefined) write(value, data);
    }
    return data;
  }

  function text(event: AgentEvent, state: StreamState): string {
    if (converted.length > 0) return JSON.stringify(data(event, state));
    let json = opening;
    let comma = opening === "{" ? "" : ",";
    for (const { label, value } of adds) {
      const added = value(event, state);
      if (added === undefined) continue;
      json += comma + label + jsonOf(added);
      comma = ",";
    }
    for (const { label, from } of renamed) {
      const value = (event as unknown as Data)[from];
      if (value === undefined) continue;
      json += comma + label + jsonOf(value);
      comma = ",";
    }
    return `${json}}`;
  }

  return { row, derived: row.derived ?? [], data, text };
}

function label(name: string): string {
  return `${JSON.stringify(name)}:`;
}

function jsonOf(value: unknown): string {
  return typeof value === "number" && Number.isInteger(value) ? `${value}` : JSON.stringify(value);
}

const holds = (when: Readonly<Data> | undefined, event: Data): boolean =>
  when === undefined || Object.keys(when).every((name) => event[name] === when[name]);
