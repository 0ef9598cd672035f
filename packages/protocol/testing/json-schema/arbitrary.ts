import fc from "fast-check";
import type { TProperties, TSchema } from "../../src/schema.ts";

/** Values that a definition allows, generated from the definition itself and not from its JSON Schema. */
export function arbitraryOf(schema: TSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...(schema.anyOf as TSchema[]).map(arbitraryOf));
  if (schema.patternProperties) return fc.dictionary(fc.string(), fc.jsonValue());
  if (schema.properties) return objectOf(schema.properties as TProperties, schema.required as string[]);
  switch (schema.type) {
    case "string":
      return stringOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 2 ** 31 - 1 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(arbitraryOf(schema.items as TSchema), { maxLength: 3 });
    case undefined:
      return fc.jsonValue();
    default:
      throw new TypeError(`No sample is known for ${JSON.stringify(schema)}.`);
  }
}

/** The same value with one change somewhere inside: removed, added or replaced. The result may still be valid. */
export const mutated = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(values, fc.nat(), fc.option(fc.constantFrom(...oddities), { nil: undefined }))
    .map(([value, place, odd]) => mutate(structuredClone(value), place, odd));

const oddities = [null, "", " ", "x", -1, 0, 0.5, 101, 1e21, true, [], [null], {}, "2026-02-31T25:00:00Z", "completed"];

// Parsing a pattern is slow, and there are only a few.
const matching = new Map<string, fc.Arbitrary<string>>();

function stringOf({ pattern, minLength = 0 }: TSchema): fc.Arbitrary<string> {
  if (!pattern) return fc.string({ minLength, unit: "binary" });
  const strings = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, strings);
  return strings;
}

function objectOf(properties: TProperties, required: string[] = []): fc.Arbitrary<unknown> {
  const fields: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema)]),
  );
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true });
}

function mutate(value: unknown, place: number, odd: unknown): unknown {
  if (typeof value !== "object" || value === null) return odd ?? null;
  const holder = value as Record<string, unknown>;
  const keys = Object.keys(holder);
  const key = keys[place % (keys.length + 1)];
  if (key === undefined) holder.unheard_of = odd ?? null;
  else if (typeof holder[key] === "object" && place % 2 === 0) holder[key] = mutate(holder[key], place >> 1, odd);
  else if (odd === undefined && !Array.isArray(value)) delete holder[key];
  else holder[key] = odd ?? null;
  return value;
}
