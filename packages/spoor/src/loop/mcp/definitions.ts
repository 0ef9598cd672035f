import { createHash } from "node:crypto";
import { isObject } from "../../options/checks.ts";
import { canonicalJson } from "../../runtime/projections/action-hash.ts";

/** A tool as its server describes it. */
export interface Definition {
  /** The tool's name within its server. */
  readonly tool: string;
  readonly description: string;
  /** The JSON Schema of the input. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The hash of everything that the model reads about the tool. */
  readonly sha256: string;
}

/** What a server may tell the model about its tools. */
const definitionLimits = {
  /** The longest description, in characters. */
  description: 8_192,
  /** The longest schema, as JSON. */
  schema: 32_768,
  /** The longest name. */
  name: 256,
} as const;

/** Reads one tool of a server's list. Returns a sentence if it cannot be used. */
export function readDefinition(listed: unknown): Definition | string {
  if (!isObject(listed) || typeof listed.name !== "string" || listed.name === "") return "A tool has no name.";
  const { name: tool, description = "", title, inputSchema: schema } = listed;
  if (tool.length > definitionLimits.name)
    return `The name of the tool ${tool.slice(0, 40)}… is longer than ${definitionLimits.name} characters.`;
  if (typeof description !== "string") return `The description of the tool ${tool} is not a text.`;
  if (!isObject(schema) || schema.type !== "object")
    return `The input of the tool ${tool} is not described by a schema of type object.`;
  const text = typeof title === "string" && description === "" ? title : description;
  if (text.length > definitionLimits.description)
    return `The description of the tool ${tool} is longer than ${definitionLimits.description} characters.`;
  const json = jsonOf(schema);
  if (json === undefined || json.length > definitionLimits.schema)
    return `The schema of the tool ${tool} is longer than ${definitionLimits.schema} characters, or nested too deeply.`;
  const sha256 = createHash("sha256").update(`${text}\n${json}`).digest("hex");
  return { tool, description: text, schema, sha256 };
}

/** The lines that a person compares when a tool changes. */
export const definitionText = ({ description, schema }: Pick<Definition, "description" | "schema">): string =>
  `${description}\n\n${JSON.stringify(schema, null, 2)}\n`;

/** A schema without the words of the server: only the names and types of the fields at the top. */
export function bareSchema({ schema }: Definition): Record<string, unknown> {
  const { properties, required } = schema;
  const fields = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => PLAIN_NAME.test(name));
  const names = Array.isArray(required) ? required.filter((name) => fields.some(([each]) => each === name)) : [];
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, typeOf(field)])),
    ...(names.length > 0 && { required: names }),
  };
}

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,40}$/;
const types = ["string", "number", "integer", "boolean", "object", "array", "null"];

const typeOf = (field: unknown): Record<string, unknown> =>
  isObject(field) && types.includes(String(field.type)) ? { type: field.type } : {};

function jsonOf(schema: Record<string, unknown>): string | undefined {
  try {
    return canonicalJson(schema);
  } catch {
    // Nested more deeply than the stack.
    return undefined;
  }
}
