import { envelopeCatalog, isEnvelopeType, mappingTable } from "@spoor/protocol";
import { nearest } from "../../inventory/nearest-names.ts";
import type { Log } from "../../log/log.ts";

export type Match = (type: string) => boolean;

/** Creates a filter for a list of types, separated by commas; `tool.*` is a whole group. */
export function matchTypes(list: string): Match {
  const wanted = namesIn(list);
  const groups = wanted.filter(isGroup).map((name) => name.slice(0, -1));
  const names = new Set(wanted);
  return (type) => names.has(type) || groups.some((group) => type.startsWith(group));
}

/**
 * Returns a warning for each name of the list that matches neither a type of Spoor nor one in the log. It is not an error:
 * programs can add types of their own, and a type that is followed may still come.
 */
export async function unknownTypes(log: Log, list: string, flag = "--type"): Promise<string[]> {
  const doubtful = namesIn(list).filter((name) => !isKnown(name));
  if (doubtful.length === 0) return [];
  const stored = await typesIn(log);
  return doubtful
    .filter((name) => ![...stored].some(matchTypes(name)))
    .map((name) => `Warning: ${flag} ${name} ${warningOf(name, stored)}`);
}

const namesIn = (list: string): string[] => list.split(",").map((name) => name.trim());

const isGroup = (name: string): boolean => name.endsWith(".*");

const isKnown = (name: string): boolean =>
  isEnvelopeType(name) || (isGroup(name) && envelopeCatalog.some(({ type }) => type.startsWith(name.slice(0, -1))));

/** Returns all types in the log. The filter sees every type and rejects it, so nothing is read. */
async function typesIn(log: Log): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  const collect = (type: string) => {
    types.add(type);
    return false;
  };
  await log.readAll({ match: collect, limit: 1 });
  return types;
}

function warningOf(name: string, stored: ReadonlySet<string>): string {
  const all = [...new Set([...envelopeCatalog.map(({ type }) => type), ...stored])];
  const groups = [...new Set(all.map((type) => `${type.slice(0, type.lastIndexOf("."))}.*`))];
  // The user may have typed the name of an AgentEvent.
  const mapped = mappingTable.filter(({ event }) => event === name).map(({ type }) => type);
  const close = mapped.length > 0 ? [...new Set(mapped)] : nearest(name, isGroup(name) ? groups : all);
  const hint = close.length > 0 ? `Did you mean ${close.join(" or ")}?` : "`spoor schema` lists all types.";
  return `matches no event type of Spoor and none in this log. ${hint}`;
}
