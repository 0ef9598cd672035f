import { baseFieldNames } from "../../../packages/protocol/src/agent-events/base.ts";
import { agentEventCategories, agentEventSchema } from "../../../packages/protocol/src/agent-events/catalog.ts";
import { type MappingRow, mappingTable } from "../../../packages/protocol/src/mapping/index.ts";
import { code, codes, eventLink, heading, mappingId, table, typeLink } from "./markdown.ts";

/** How each AgentEvent maps to an envelope, field by field. */
export function mappingSection(): string {
  return [
    heading(2, "The mapping", "mapping"),
    intro,
    table(["AgentEvent", "Envelope", "How"], headFields),
    ...Object.values(agentEventCategories).flatMap(({ title, events }) => {
      const types = events.map((schema) => schema.properties.type.const as string);
      const rows = types.flatMap((type) => mappingTable.filter((row) => row.event === type));
      return [
        `### ${title} (mapping)`,
        table(["AgentEvent", "Envelope", "Fields", "Added", "Also written"], rows.map(mappingRow)),
      ];
    }),
  ].join("\n\n");
}

const intro = `Each AgentEvent has exactly one primary envelope, and going there and back loses nothing but \`raw\`. Where an event has
several rows, the first whose condition holds is written. *Fields* says where each field goes; \`=\` means always that
value. *Added* says what the stream so far tells and is not read back. *Also written* are derived envelopes, put before
or after the primary one and skipped on the way back.`;

const headFields = [
  ["`type`", "`type`", "by the tables below"],
  ["`runId`", "`run_id`", "`run_` + id"],
  ["`timestamp`", "`occurred_at`", "RFC 3339"],
  ["`agent`", "`agent` of `run.created`", "once per run"],
  ["`raw`", "", "left out; the tape keeps the bytes"],
];

function mappingRow(row: MappingRow): string[] {
  const isFirst = mappingTable.find(({ event }) => event === row.event) === row;
  const anchor = isFirst ? `<a id="${mappingId(row.event)}"></a>` : "";
  const conditions = Object.entries(row.when ?? {}).map(
    ([name, value]) => `when ${code(name)} is ${code(String(value))}`,
  );
  return [
    lines([anchor + eventLink(row.event), ...conditions, ...(row.readOnly ? ["read, never written"] : [])]),
    typeLink(row.type),
    lines([...moved(row), ...fixed(row), ...rebuilt(row)]),
    lines(Object.entries(row.adds ?? {}).map(([name, { how }]) => `${code(name)}: ${how}`)),
    lines((row.derived ?? []).map(({ place, type, when }) => `${place}: ${typeLink(type)}, ${when}`)),
  ];
}

const lines = (texts: readonly string[]): string => texts.join("<br>");

const moved = (row: MappingRow): string[] =>
  Object.entries(row.fields).map(([name, { to, how }]) => `${code(name)} → ${codes(to)}${how ? ` (${how})` : ""}`);

const fixed = (row: MappingRow): string[] =>
  Object.entries(row.fixed ?? {}).map(([name, value]) => `${code(name)} = ${code(String(value))}`);

/** Fields of the event that are not stored in `data` because a reader can derive them. */
function rebuilt(row: MappingRow): string[] {
  const told = new Set([...baseFieldNames, ...Object.keys(row.fields), ...Object.keys(row.when ?? {})]);
  const properties = agentEventSchema(row.event)?.properties ?? {};
  return Object.keys(properties)
    .filter((name) => !told.has(name))
    .map((name) => (row.readOnly ? `${code(name)}: not said` : `${code(name)}: rebuilt`));
}
