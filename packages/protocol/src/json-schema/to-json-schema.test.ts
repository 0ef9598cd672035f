import { describe, expect, it } from "vitest";
import { InProcessText, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { toJsonSchema } from "./to-json-schema.ts";

describe("toJsonSchema", () => {
  it("returns plain JSON with a fixed order of keywords, whatever the order in the definition", () => {
    const schema = toJsonSchema(Type.Object({ name: Type.String({ minLength: 1, description: "A name." }) }));
    expect(JSON.stringify(schema)).toBe(
      '{"type":"object","properties":{"name":{"description":"A name.","type":"string","minLength":1}},"required":["name"]}',
    );
  });

  it("converts a closed list of strings to an enum", () => {
    expect(toJsonSchema(oneOf(["a", "b"], "One."))).toEqual({ description: "One.", type: "string", enum: ["a", "b"] });
  });

  it("keeps other unions as they are", () => {
    expect(toJsonSchema(Type.Union([Type.String(), Type.Null()]))).toEqual({
      anyOf: [{ type: "string" }, { type: "null" }],
    });
  });

  it("makes in-memory fields optional and mentions that in their description", () => {
    const schema = toJsonSchema(Type.Object({ delta: Text("New."), accumulated: InProcessText("All.") }));
    expect(schema.required).toEqual(["delta"]);
    expect(schema.properties?.accumulated).toEqual({
      description: "All. In memory only: a reader rebuilds it.",
      type: "string",
    });
  });

  it("leaves out an empty list of required fields and empty descriptions", () => {
    expect(toJsonSchema(Type.Object({ names: optional(Type.Array(Key(""))) }))).toEqual({
      type: "object",
      properties: { names: { type: "array", items: { type: "string", minLength: 1 } } },
    });
  });

  it("leaves objects open", () => {
    expect(toJsonSchema(Type.Record(Type.String(), Type.Unknown()))).toEqual({ type: "object" });
  });

  it("throws on an unknown keyword instead of dropping it", () => {
    expect(() => toJsonSchema(Type.String({ format: "uuid" }))).toThrow('keyword "format"');
    expect(() => toJsonSchema(Type.Record(Type.String(), Type.Number()))).toThrow('keyword "patternProperties"');
  });
});
