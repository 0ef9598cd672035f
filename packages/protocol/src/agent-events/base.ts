import { Key, type Static, Text, type TProperties, Type, Ulid } from "../schema.ts";
import { AgentName } from "./agent-name.ts";

/** Fields of every event, which a consumer can read without narrowing the type. */
const baseFields = {
  runId: Ulid("The run that produced the event."),
  agent: AgentName,
  timestamp: Type.Integer({
    minimum: 1,
    description: "Epoch milliseconds at which the event was made; never goes back within a run.",
  }),
  raw: Type.Optional(Text("The agent's own output behind this event; present only in debug mode.")),
};

/** Defines one event. `summary` says when it is emitted and appears in the reference. */
export function agentEvent<const Name extends string, Fields extends TProperties>(
  name: Name,
  summary: string,
  fields: Fields,
) {
  return Type.Object({ type: Type.Literal(name), ...baseFields, ...fields }, { description: summary });
}

export const baseFieldNames: ReadonlySet<string> = new Set(["type", ...Object.keys(baseFields)]);

export const BaseEvent = Type.Object({ type: Key("Which event it is."), ...baseFields });
export type BaseEvent = Static<typeof BaseEvent>;
