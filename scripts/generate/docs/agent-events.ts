import { BaseEvent, baseFieldNames } from "../../../packages/protocol/src/agent-events/base.ts";
import { type AgentEventSchema, agentEventCategories } from "../../../packages/protocol/src/agent-events/catalog.ts";
import { CostRecord } from "../../../packages/protocol/src/agent-events/cost-record.ts";
import { toJsonSchema } from "../../../packages/protocol/src/json-schema/to-json-schema.ts";
import { fieldTable } from "./fields.ts";
import { eventId, eventLink, heading, link, mappingId, table, typeLink } from "./markdown.ts";
import { primaryTypes } from "./stored-as.ts";

/** The 67 events by category. */
export function agentEventsSection(): string {
  const categories = Object.values(agentEventCategories);
  return [
    heading(2, "AgentEvents", "agent-events"),
    table(
      ["Category", "Events"],
      categories.map(({ title, events }) => [title, events.map(typeOf).map(eventLink).join(", ")]),
    ),
    "### Fields of every AgentEvent",
    "`type` names the event. Every AgentEvent also has these fields:",
    fieldTable(toJsonSchema(BaseEvent), new Set(["type"])),
    heading(3, "CostRecord", "cost-record"),
    "The cost and tokens of a run, a turn or a subagent. Several events contain such a record.",
    fieldTable(toJsonSchema(CostRecord)),
    ...categories.flatMap(({ title, events }) => [`### ${title}`, ...events.map(eventEntry)]),
  ].join("\n\n");
}

function eventEntry(schema: AgentEventSchema): string {
  const type = typeOf(schema);
  const stored = primaryTypes(type).map(typeLink).join(" or ");
  return [
    heading(4, `\`${type}\``, eventId(type)),
    `${schema.description} Stored as ${stored} (${link("mapping", mappingId(type))}).`,
    fieldTable(toJsonSchema(schema), baseFieldNames),
  ].join("\n\n");
}

const typeOf = (schema: AgentEventSchema): string => schema.properties.type.const;
