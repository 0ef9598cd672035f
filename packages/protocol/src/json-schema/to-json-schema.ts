import { isInProcess, type TProperties, type TSchema } from "../schema.ts";

/** JSON Schema 2020-12 as plain JSON, with its keywords in a readable order. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly "x-standing"?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts a definition to the JSON Schema of its printed form: closed lists become `enum`, in-memory fields are optional,
 * objects stay open. Throws on an unknown keyword, because dropping it would silently weaken the schema.
 */
export function toJsonSchema(schema: TSchema): JsonSchema {
  const keywords: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "anyOf") keywords.push(...union(value as TSchema[]));
    else if (keyword === "items") keywords.push([keyword, toJsonSchema(value as TSchema)]);
    else if (keyword === "properties") keywords.push(...fields(value as TProperties, schema.required as string[]));
    else if (keyword === "description") keywords.push(...description(schema));
    else if (copied.has(keyword)) keywords.push([keyword, value]);
    else if (!isImplied(keyword, value))
      throw new TypeError(`Cannot convert the keyword "${keyword}" to JSON Schema. Add it to to-json-schema.ts.`);
  }
  return Object.fromEntries(keywords.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

const copied = new Set(["type", "const", "pattern", "minLength", "minimum", "maximum"]);

const order = [
  ...["description", "type", "const", "enum", "pattern", "minLength", "minimum", "maximum"],
  ...["items", "properties", "required", "anyOf"],
];

/** Keywords that are handled elsewhere or have no effect. */
function isImplied(keyword: string, value: unknown): boolean {
  if (keyword === "required" || keyword === "inProcess") return true;
  // `Type.Record` of any value has this pattern, which every object matches.
  return keyword === "patternProperties" && JSON.stringify(value) === '{"^(.*)$":{}}';
}

function description(schema: TSchema): [string, unknown][] {
  const text = isInProcess(schema) ? `${schema.description} In memory only: a reader rebuilds it.` : schema.description;
  return text ? [["description", text]] : [];
}

function union(members: TSchema[]): [string, unknown][] {
  const values = members.map((member) => member.const);
  if (values.some((value) => typeof value !== "string")) return [["anyOf", members.map(toJsonSchema)]];
  return [
    ["type", "string"],
    ["enum", values],
  ];
}

function fields(properties: TProperties, present: readonly string[] = []): [string, unknown][] {
  const schemas = Object.entries(properties).map(([name, schema]) => [name, toJsonSchema(schema)]);
  const required = present.filter((name) => !isInProcess(properties[name] as TSchema));
  const found: [string, unknown][] = [["properties", Object.fromEntries(schemas)]];
  return required.length === 0 ? found : [...found, ["required", required]];
}
