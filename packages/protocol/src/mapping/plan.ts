import type { AgentEvent, AgentEventTypeLiteral } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Data } from "./conversion.ts";
import type { Derivation } from "./derive.ts";
import type { StreamState } from "./state.ts";
import { mappingTable, type Row } from "./table.ts";

/** A row of the mapping table, prepared for writing. */
export interface Plan {
  type: EnvelopeType;
  when: Row["when"];
  derived: readonly Derivation[];
  data(event: AgentEvent, state: StreamState): Data;
  text(event: AgentEvent, state: StreamState): string;
}

/** Returns the plan for an event's row. Each run has its own plans, because a plan caches what it wrote last. */
export function createPlans(): (event: AgentEvent) => Plan {
  const plans = new Map<AgentEventTypeLiteral, Plan[]>();
  return (event) => {
    let known = plans.get(event.type);
    if (!known) {
      known = (rowsByEvent.get(event.type) ?? []).map(planOf);
      plans.set(event.type, known);
    }
    return known.length === 1 ? (known[0] as Plan) : planAmong(known, event);
  };
}

const rowsByEvent = new Map<AgentEventTypeLiteral, Row[]>();
for (const row of mappingTable) {
  if (!row.readOnly) rowsByEvent.set(row.event, [...(rowsByEvent.get(row.event) ?? []), row]);
}

function planAmong(plans: readonly Plan[], event: AgentEvent): Plan {
  const plan = plans.find(({ when }) => holds(when, event as unknown as Data));
  if (!plan) throw new TypeError(`No AgentEvent is of type ${JSON.stringify(event.type)}.`);
  return plan;
}

/** Reads a row once, so that each event needs only plain loops over arrays. */
function planOf(row: Row): Plan {
  const adds = Object.entries(row.adds ?? {}).map(([to, { value }]) => ({
    ...labels(to),
    value,
    last: undefined as unknown,
  }));
  const fields = Object.entries(row.fields);
  const renamed = fields.flatMap(([from, { rename }]) => (rename === undefined ? [] : [{ from, ...labels(rename) }]));
  const converted = fields.flatMap(([from, { rename, write }]) => (rename === undefined ? [{ from, write }] : []));
  const fixed = JSON.stringify(row.fixed ?? {}).slice(0, -1);
  let opening = fixed;
  let isStale = false;

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
    refresh(event, state);
    let json = opening;
    for (const { from, first, next } of renamed) {
      const value = (event as unknown as Data)[from];
      if (value !== undefined) json += (json === "{" ? first : next) + jsonOf(value);
    }
    return `${json}}`;
  }

  /** The context fields rarely change between deltas, so their JSON text is cached. */
  function refresh(event: AgentEvent, state: StreamState): void {
    for (const add of adds) {
      const added = add.value(event, state);
      if (added === add.last) continue;
      add.last = added;
      isStale = true;
    }
    if (!isStale) return;
    const parts = [fixed];
    for (const { first, next, last } of adds) {
      if (last !== undefined) parts.push(parts.length === 1 && fixed === "{" ? first : next, jsonOf(last));
    }
    opening = parts.join("");
    isStale = false;
  }

  return { type: row.type, when: row.when, derived: row.derived ?? [], data, text };
}

/** The name of a field and its JSON text, as the first field and after others. */
const labels = (to: string) => ({ to, first: `"${to}":`, next: `,"${to}":` });

function jsonOf(value: unknown): string {
  if (typeof value === "string" && value.length < 64 && isPlain(value)) return `"${value}"`;
  return typeof value === "number" && Number.isInteger(value) ? `${value}` : JSON.stringify(value);
}

/** Whether a text needs no escapes in JSON. Used for short texts, where checking is faster than `JSON.stringify`. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return false;
  }
  return true;
}

const holds = (when: Readonly<Data> | undefined, event: Data): boolean =>
  when === undefined || Object.keys(when).every((name) => event[name] === when[name]);
