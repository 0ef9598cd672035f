import { CostRecord } from "../../../packages/protocol/src/agent-events/cost-record.ts";
import { Envelope } from "../../../packages/protocol/src/envelope/envelope.ts";
import { type JsonSchema, toJsonSchema } from "../../../packages/protocol/src/json-schema/to-json-schema.ts";
import { Instant, Ulid } from "../../../packages/protocol/src/schema.ts";
import { code, codes, link, table } from "./markdown.ts";

/** The fields of an object, including those of nested objects and lists; `except` names fields documented elsewhere. */
export function fieldTable(schema: JsonSchema, except: ReadonlySet<string> = new Set()): string {
  const rows = rowsOf(schema, "", except);
  if (rows.length === 0) return "No fields of its own.";
  return table(["Field", "Type", "Required", "Limits", "Meaning"], rows);
}

function rowsOf(
  { properties = {}, required = [] }: JsonSchema,
  prefix: string,
  except: ReadonlySet<string>,
): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    if (except.has(name)) return [];
    const isRequired = required.includes(name) ? "yes" : "";
    const row = [code(prefix + name), typeName(field), isRequired, limits(field), field.description ?? ""];
    if (isCostRecord(field)) return [row];
    const inner = rowsOf(field.items ?? field, `${prefix}${name}${field.items ? "[]" : ""}.`, new Set());
    return [row, ...inner];
  });
}

function typeName(field: JsonSchema): string {
  if (isCostRecord(field)) return link("CostRecord", "cost-record");
  if (field.anyOf) return field.anyOf.map(typeName).join(" or ");
  if (field.items) return `array of ${typeName(field.items)}`;
  return field.type ?? "any";
}

const costRecord = JSON.stringify(toJsonSchema(CostRecord));
const isCostRecord = (field: JsonSchema): boolean => JSON.stringify(field) === costRecord;

function limits(field: JsonSchema): string {
  const { minimum, maximum } = field;
  const found = [
    field.const !== undefined && `always ${code(String(field.const))}`,
    field.enum && `one of ${codes(field.enum)}`,
    field.pattern && patternName(field.pattern),
    field.minLength && "not empty",
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `≥ ${minimum}`,
    field.items && limits(field.items) && `each ${limits(field.items)}`,
  ];
  return found.filter((limit) => typeof limit === "string" && limit !== "").join(", ");
}

const knownPatterns = new Map([
  [Ulid("").pattern, "a ULID"],
  [Instant("").pattern, "RFC 3339, UTC"],
  [Envelope.properties.type.pattern, "dotted, lowercase"],
]);

function patternName(pattern: string): string {
  const prefix = /^\^([a-z]+_)(.*)$/.exec(pattern);
  if (prefix && `^${prefix[2]}` === Ulid("").pattern) return `${code(prefix[1] as string)} and a ULID`;
  return knownPatterns.get(pattern) ?? code(pattern);
}
