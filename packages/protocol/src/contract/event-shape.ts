import { type AgentEvent, agentEventSchema } from "../agent-events/catalog.ts";
import { asPrinted, Type } from "../schema.ts";
import { problems, unknownFields, validator } from "../validate.ts";
import type { Report } from "./finding.ts";

/** Returns the event when it matches the schema of its type. An unknown type or field is a note, not a violation. */
export function checkEventShape(item: unknown, report: Report): AgentEvent | undefined {
  const { type } = (item ?? {}) as { type?: unknown };
  const definition = typeof type === "string" ? printedSchema(type) : undefined;
  if (!definition) {
    if (typeof type === "string") report.note(`The type ${JSON.stringify(type)} is unknown.`);
    else report.violation("base.shape", "The item is not an event: it has no type.");
    return undefined;
  }
  if (!definition.check(item)) {
    for (const { path, message } of problems(definition.schema, item)) {
      report.violation("base.shape", `${type}${path === "" ? "" : ` ${path.slice(1)}`}: ${message}.`);
    }
    return undefined;
  }
  const unknown = unknownFields(definition.schema, item as object);
  if (unknown.length > 0) report.note(`${type} has fields that are not known: ${unknown.join(", ")}.`);
  return item as AgentEvent;
}

interface Printed {
  schema: ReturnType<typeof Type.Object>;
  check(value: unknown): boolean;
}

const printedByType = new Map<string, Printed>();

function printedSchema(type: string): Printed | undefined {
  const known = printedByType.get(type);
  if (known) return known;
  const definition = agentEventSchema(type);
  if (!definition) return undefined;
  const schema = Type.Object(asPrinted(definition.properties));
  const printed = { schema, check: validator(schema) };
  printedByType.set(type, printed);
  return printed;
}
