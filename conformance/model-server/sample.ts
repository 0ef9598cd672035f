import { read } from "./request.ts";

/**
 * A small value that matches a JSON Schema, for the keywords that clients use: texts and lists are as short as
 * permitted.
 */
export function sampleOf(schema: unknown): unknown {
  const choices = read(schema, "enum");
  if (Array.isArray(choices)) return choices[0];
  const type = read(schema, "type");
  // Gemini writes type names in capitals.
  const make = SAMPLES[String(Array.isArray(type) ? type[0] : (type ?? "object")).toLowerCase()];
  return make?.(schema) ?? null;
}

const SAMPLES: Record<string, (schema: unknown) => unknown> = {
  object: (schema) => {
    const properties = Object.entries(read(schema, "properties") ?? {});
    return Object.fromEntries(properties.map(([name, property]) => [name, sampleOf(property)]));
  },
  array: () => [],
  string: () => "fine",
  number: () => 0,
  integer: () => 0,
  boolean: () => false,
};
