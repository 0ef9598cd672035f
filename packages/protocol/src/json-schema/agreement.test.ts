import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileAll } from "../../testing/json-schema/ajv.ts";
import { arbitraryOf, mutated } from "../../testing/json-schema/arbitrary.ts";
import { agentEventSchemas } from "../agent-events/catalog.ts";
import { envelopeCatalog } from "../envelope/catalog.ts";
import { Envelope } from "../envelope/envelope.ts";
import { asPrinted, type TProperties, type TSchema, Type } from "../schema.ts";
import { validator } from "../validate.ts";

/** Compares our own checks with those of ajv, for every definition. */
const subjects = [
  { name: "envelope", schema: Envelope },
  ...envelopeCatalog.map(({ type, data }) => ({ name: type as string, schema: data as TSchema })),
  ...agentEventSchemas.map((event) => ({
    name: event.properties.type.const as string,
    schema: Type.Object(asPrinted(event.properties)) as TSchema,
  })),
];
const runs = { numRuns: 40 };
const byAjv = compileAll();
const ajv = (name: string, value: unknown): boolean => byAjv.get(name)?.(value) === true;

describe.each(subjects)("$name", ({ name, schema }) => {
  const check = validator(schema);
  const allowed = arbitraryOf(schema);
  const properties: TProperties = schema.properties;

  it("accepts what the definition allows", () => {
    fc.assert(
      fc.property(allowed, (value) => check(value) && ajv(name, value)),
      runs,
    );
  });

  it("rejects it when a required field is missing", () => {
    const [sample] = fc.sample(allowed, { numRuns: 1, seed: 1 });
    for (const field of schema.required ?? []) {
      const { [field]: _, ...rest } = sample as Record<string, unknown>;
      expect([field, ajv(name, rest)]).toEqual([field, false]);
    }
  });

  it("rejects it when a field is of another type", () => {
    const [sample] = fc.sample(allowed, { numRuns: 1, seed: 1 });
    for (const [field, { type, anyOf }] of Object.entries(properties)) {
      if (!type && !anyOf) continue;
      const other = type === "object" ? "text" : { not: "this" };
      expect([field, ajv(name, { ...(sample as object), [field]: other })]).toEqual([field, false]);
    }
  });

  it("agrees with our own check about a changed value", () => {
    fc.assert(
      fc.property(mutated(allowed), (value) => ajv(name, value) === check(value)),
      runs,
    );
  });
});

describe("event", () => {
  const head = validator(Envelope);
  const checks = new Map(envelopeCatalog.map(({ type, data }) => [type as string, validator(data)]));
  const check = (value: unknown): boolean => {
    if (!head(value)) return false;
    const { type, data } = value as Envelope;
    return checks.get(type)?.(data) ?? true;
  };
  const heads = arbitraryOf(Envelope);
  const payloads = fc.oneof(
    fc.tuple(fc.constant("tool.unheard_of"), fc.dictionary(fc.string(), fc.jsonValue())),
    ...envelopeCatalog.map(({ type, data }) => fc.tuple(fc.constant(type), arbitraryOf(data))),
  );
  const envelopes = fc.tuple(heads, payloads).map(([head, [type, data]]) => ({ ...(head as Envelope), type, data }));

  it("accepts an envelope with a payload of its type", () => {
    fc.assert(fc.property(envelopes, (value) => check(value) && ajv("event", value)));
  });

  it("agrees with our own checks about a changed envelope", () => {
    fc.assert(
      fc.property(mutated(envelopes), (value) => ajv("event", value) === check(value)),
      { numRuns: 1000 },
    );
  });
});

describe("agent-event", () => {
  it("accepts exactly what the event's own document accepts", () => {
    const events = fc.oneof(...agentEventSchemas.map((schema) => arbitraryOf(schema as TSchema)));
    fc.assert(
      fc.property(mutated(events), (value) => {
        const type = (value as { type?: unknown }).type;
        return ajv("agent-event", value) === (typeof type === "string" && ajv(type, value));
      }),
      { numRuns: 500 },
    );
  });
});
