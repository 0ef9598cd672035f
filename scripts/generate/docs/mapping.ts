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

const intro = `Each AgentEvent is stored as exactly one primary envelope, and decoding that envelope restores every field except \`raw\`. If
an event has several rows, the encoder uses the first row whose condition holds. *Fields* shows where each field is
stored; \`=\` marks a constant value. *Added* lists fields that the encoder computes from earlier events; the decoder ignores
them. *Also written* lists derived envelopes before or after the primary one; the decoder skips them.`;

const headFields = [
  ["`type`", "`type`", "see the tables below"],
  ["`runId`", "`run_id`", "`run_` + id"],
  ["`timestamp`", "`occurred_at`", "RFC 3339"],
  ["`agent`", "`agent` of `run.created`", "once per run"],
  ["`raw`", "", "not stored; the tape holds the agent's raw lines"],
];

function mappingRow(row: MappingRow): string[] {
  const isFirst = mappingTable.find(({ event }) => event === row.event) === row;
  const anchor = isFirst ? `<a id="${mappingId(row.event)}"></a>` : "";
  const conditions = Object.entries(row.when ?? {}).map(
    ([name, value]) => `when ${code(name)} is ${code(String(value))}`,
  );
  return [
    lines([anchor + eventLink(row.event), ...conditions, ...(row.readOnly ? ["decoded, never written"] : [])]),
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
  const stored = new Set([...baseFieldNames, ...Object.keys(row.fields), ...Object.keys(row.when ?? {})]);
  const properties = agentEventSchema(row.event)?.properties ?? {};
  return Object.keys(properties)
    .filter((name) => !stored.has(name))
    .map((name) => (row.readOnly ? `${code(name)}: absent` : `${code(name)}: rebuilt by the decoder`));
}
