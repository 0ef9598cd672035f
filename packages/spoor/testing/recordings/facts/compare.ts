import { isDeepStrictEqual } from "node:util";
import type { Facts } from "./facts.ts";
import { NO_ID, type ToolFact } from "./tool-facts.ts";

/**
 * The differences between the events and the wire, as sentences. Facts that the wire does not contain are not compared.
 */
export function disagreements(wire: Facts, events: Facts): string[] {
  const { tools, ...plain } = wire;
  const told = withIds(tools ?? [], events.tools ?? []);
  const fields = Object.keys(plain) as (keyof typeof plain)[];
  return [
    ...fields.flatMap((field) => differ(field, wire[field], events[field])),
    ...told.flatMap((tool) =>
      differInTool(
        tool,
        events.tools?.find(({ id }) => id === tool.id),
      ),
    ),
    ...(wire.tools ? unknownCalls(told, events.tools ?? []) : []),
    ...(tools ? differ("order of calls", idsOf(tools, events.tools), idsOf(events.tools ?? [], tools)) : []),
  ];
}

/** Gives calls without an id the ids of the events' calls of the same name that the wire does not name, in order. */
function withIds(wire: readonly ToolFact[], events: readonly ToolFact[]): ToolFact[] {
  const left = events.filter(({ id }) => wire.every((tool) => tool.id !== id));
  return wire.map((tool) => {
    const at = tool.id.startsWith(NO_ID) ? left.findIndex(({ name }) => name === tool.name) : -1;
    return at < 0 ? tool : { ...tool, id: left.splice(at, 1)[0]?.id ?? tool.id };
  });
}

function differ(what: string, wire: unknown, events: unknown): string[] {
  if (wire === undefined || isAlike(wire, events)) return [];
  return [`${what}: the wire says ${show(wire)}, the events ${show(events)}`];
}

function differInTool(wire: ToolFact, events: ToolFact | undefined): string[] {
  if (!events) return [`call ${wire.id} (${wire.name}) is in no event`];
  const fields = Object.keys(wire) as (keyof ToolFact)[];
  return fields.flatMap((field) => differ(`${field} of call ${wire.id} (${wire.name})`, wire[field], events[field]));
}

const unknownCalls = (wire: readonly ToolFact[], events: readonly ToolFact[]): string[] =>
  events
    .filter(({ id }) => wire.every((tool) => tool.id !== id))
    .map(({ id, name }) => `call ${id} (${name}) is only in the events`);

/** The ids that both contain, in the order of the first. */
const idsOf = (list: readonly ToolFact[], other: readonly ToolFact[] = []): string[] =>
  list.map(({ id }) => id).filter((id) => other.some((tool) => tool.id === id));

/** A field that the wire lacks is not compared. Costs may differ by rounding. */
function isAlike(wire: unknown, events: unknown): boolean {
  if (typeof wire === "number" && typeof events === "number") return Math.abs(wire - events) < 1e-9;
  if (Array.isArray(wire) && Array.isArray(events)) {
    return wire.length === events.length && wire.every((item, index) => isAlike(item, events[index]));
  }
  if (typeof wire !== "object" || wire === null || typeof events !== "object" || events === null) {
    return isDeepStrictEqual(wire, events);
  }
  return Object.entries(wire).every(([name, value]) => isAlike(value, (events as Record<string, unknown>)[name]));
}

const show = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 400);
