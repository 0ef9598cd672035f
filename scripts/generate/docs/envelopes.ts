import { envelopeCatalog } from "../../../packages/protocol/src/envelope/catalog.ts";
import type { Definition } from "../../../packages/protocol/src/envelope/define.ts";
import { Envelope } from "../../../packages/protocol/src/envelope/envelope.ts";
import { type JsonSchema, toJsonSchema } from "../../../packages/protocol/src/json-schema/to-json-schema.ts";
import { provenance } from "../provenance.ts";
import { fieldTable } from "./fields.ts";
import { groups } from "./groups.ts";
import { eventLink, heading, link, originId, table, typeId, typeLink } from "./markdown.ts";
import { derivingEvents, primaryEvents } from "./stored-as.ts";

/** The envelope, then every dotted type by its first word. */
export function envelopesSection(): string {
  return [
    heading(2, "The envelope", "envelope"),
    fieldTable(toJsonSchema(Envelope)),
    heading(2, "Dotted types", "dotted-types"),
    table(
      ["Type", "Standing", "When"],
      envelopeCatalog.map(({ type, standing, summary }) => [typeLink(type), standing, summary]),
    ),
    "### Fields of every payload",
    fieldTable(common),
    ...[...byGroup].flatMap(([group, definitions]) => [
      `### \`${group}.*\``,
      groups[group] ?? "",
      ...definitions.map(typeEntry),
    ]),
  ].join("\n\n");
}

const byGroup = Map.groupBy<string, Definition>(envelopeCatalog, ({ type }) => type.split(".", 1)[0] as string);

function typeEntry({ type, standing, summary, data }: Definition): string {
  return [
    heading(4, `\`${type}\``, typeId(type)),
    `*${standing}.* ${summary} ${originOf(type)}${provenance[type] ? ` ${link("Origins", originId(type))}.` : ""}`,
    fieldTable(toJsonSchema(data), new Set(Object.keys(common.properties ?? {}))),
  ].join("\n\n");
}

function originOf(type: string): string {
  const stored = primaryEvents(type).map(eventLink);
  const deriving = derivingEvents(type).map(eventLink);
  if (stored.length > 0) return `Stores the AgentEvent ${stored.join(" or ")}.`;
  if (deriving.length > 0) return `Spoor derives it from ${deriving.join(", ")}.`;
  return "No AgentEvent corresponds to it.";
}

/** The fields that every payload has. */
const common: JsonSchema = (() => {
  const [first = {}, ...others] = envelopeCatalog.map(({ data }) => toJsonSchema(data).properties ?? {});
  const shared = Object.entries(first).filter(([name]) => others.every((properties) => name in properties));
  return { properties: Object.fromEntries(shared) };
})();
