import { agentEventSchemas } from "../agent-events/catalog.ts";
import { envelopeCatalog } from "../envelope/catalog.ts";
import type { Definition } from "../envelope/define.ts";
import { Envelope, SCHEMA_VERSION } from "../envelope/envelope.ts";
import type { TSchema } from "../schema.ts";
import { type JsonSchema, toJsonSchema } from "./to-json-schema.ts";

/** The parts of the definitions that readers and stored events depend on, in a form that can be stored and compared. */
export interface Surface {
  readonly version: string;
  readonly envelope: Fields;
  readonly payloads: Readonly<Record<string, Fields>>;
  readonly agentEvents: Readonly<Record<string, Fields>>;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Shape {
  /** A JSON type, `any`, or several types joined by `|`, without their limits. */
  readonly type: string;
  /** The only values allowed. */
  readonly values?: readonly unknown[];
  /** `minimum`, `pattern` and other limits, named as in JSON Schema. */
  readonly limits?: Readonly<Record<string, string | number>>;
  readonly items?: Shape;
  readonly fields?: Fields;
}

export interface Field extends Shape {
  readonly required?: true;
}

export interface Definitions {
  readonly version: string;
  readonly envelope: TSchema;
  readonly payloads: readonly Definition[];
  readonly agentEvents: readonly (TSchema & { properties: { type: { const: string } } })[];
}

export const currentDefinitions: Definitions = {
  version: SCHEMA_VERSION,
  envelope: Envelope,
  payloads: envelopeCatalog,
  agentEvents: agentEventSchemas,
};

export function surfaceOf({ version, envelope, payloads, agentEvents }: Definitions): Surface {
  return {
    version,
    envelope: fieldsOf(toJsonSchema(envelope)),
    payloads: Object.fromEntries(payloads.map(({ type, data }) => [type, fieldsOf(toJsonSchema(data))])),
    agentEvents: Object.fromEntries(
      agentEvents.map((schema) => [schema.properties.type.const, fieldsOf(toJsonSchema(schema))]),
    ),
  };
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): Fields {
  const fields = Object.entries(properties).map(([name, schema]): [string, Field] => {
    const { type, ...more } = shapeOf(schema);
    return [name, required.includes(name) ? { type, required: true, ...more } : { type, ...more }];
  });
  return Object.fromEntries(fields);
}

const limitKeywords = ["pattern", "minLength", "minimum", "maximum"] as const;

function shapeOf(schema: JsonSchema): Shape {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const limits = limitKeywords.flatMap((keyword) =>
    schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]],
  );
  return {
    type: schema.anyOf?.map((member) => shapeOf(member).type).join("|") ?? schema.type ?? "any",
    ...(values && { values }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
    ...(schema.items && { items: shapeOf(schema.items) }),
    ...(schema.properties && { fields: fieldsOf(schema) }),
  };
}
