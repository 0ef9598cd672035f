import { type AgentEventSchema, agentEventSchema, agentEventSchemas } from "../agent-events/catalog.ts";
import { envelopeCatalog, envelopeDefinition } from "../envelope/catalog.ts";
import type { Definition } from "../envelope/define.ts";
import { Envelope, SCHEMA_VERSION } from "../envelope/envelope.ts";
import { type JsonSchema, toJsonSchema } from "./to-json-schema.ts";

/**
 * Returns the JSON Schema document for a name: a dotted type (its payload), an AgentEvent type, `envelope`, `event` (an
 * envelope with its payload) or `agent-event` (any AgentEvent). Returns undefined for an unknown name. No document refers to
 * another one.
 *
 * @example
 * ```ts
 * import { jsonSchema } from "@spoor/protocol";
 *
 * console.log(jsonSchema("tool.shell.exited")?.required);
 * ```
 */
export function jsonSchema(name: string): JsonSchema | undefined {
  if (name === "envelope") return document(name, toJsonSchema(Envelope));
  if (name === "event") return document(name, typedEnvelope());
  if (name === "agent-event") return document(name, anyAgentEvent());
  const definition = envelopeDefinition(name);
  if (definition) return document(name, payload(definition));
  const event = agentEventSchema(name);
  return event && document(name, toJsonSchema(event));
}

/** Returns every schema document, keyed by its path in the `schemas` folder. */
export function jsonSchemaFiles(): Map<string, JsonSchema> {
  const paths: [path: string, name: string][] = [
    ...["envelope", "event", "agent-event"].map((name): [string, string] => [name, name]),
    ...envelopeCatalog.map(({ type }): [string, string] => [`payloads/${type}`, type]),
    ...agentEventSchemas.map(typeOf).map((type): [string, string] => [`agent-events/${type}`, type]),
  ];
  return new Map(paths.map(([path, name]) => [`${path}.schema.json`, jsonSchema(name) as JsonSchema]));
}

function document(name: string, schema: JsonSchema): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:spoor:v${SCHEMA_VERSION}:${name}`,
    title: name,
    ...schema,
  };
}

function payload(definition: Definition): JsonSchema {
  const { description = definition.summary, ...rest } = toJsonSchema(definition.data);
  return { description, "x-standing": definition.standing, ...rest };
}

/** A known type determines the shape of `data`. An unknown type may have any payload. */
function typedEnvelope(): JsonSchema {
  return {
    ...toJsonSchema(Envelope),
    description: "One event as stored and sent. The payload is checked if the type is known.",
    allOf: envelopeCatalog.map(({ type }) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword's name; nothing here is awaited.
      then: { properties: { data: { $ref: `#/$defs/${type}` } } },
    })),
    $defs: Object.fromEntries(envelopeCatalog.map((definition) => [definition.type, payload(definition)])),
  };
}

function anyAgentEvent(): JsonSchema {
  return {
    description: "One AgentEvent as printed.",
    type: "object",
    oneOf: agentEventSchemas.map((schema) => ({ $ref: `#/$defs/${typeOf(schema)}` })),
    $defs: Object.fromEntries(agentEventSchemas.map((schema) => [typeOf(schema), toJsonSchema(schema)])),
  };
}

const typeOf = (schema: AgentEventSchema): string => schema.properties.type.const;
