import { describe, expect, it } from "vitest";
import { compileAll } from "../../testing/json-schema/ajv.ts";
import { agentEventTypes } from "../agent-events/catalog.ts";
import { envelopeCatalog } from "../envelope/catalog.ts";
import { jsonSchema, jsonSchemaFiles } from "./schema-documents.ts";

const files = jsonSchemaFiles();
const validators = compileAll();

const envelope = {
  schema_version: "1",
  event_id: "evt_01JXMZH0000000000000000000",
  run_id: "run_01JXMZH0000000000000000000",
  sequence: 0,
  occurred_at: "2026-05-03T10:23:45.123Z",
  type: "turn.started",
  data: { turn_index: 1 },
};
const event = { type: "text_delta", runId: "01JXMZH0000000000000000000", agent: "pi", timestamp: 1, delta: "Hi" };

describe("the schema documents", () => {
  it("are one for the envelope, one for each union, one per payload and one per AgentEvent", () => {
    expect(files.size).toBe(3 + envelopeCatalog.length + agentEventTypes.length);
    expect(files.get("payloads/tool.shell.exited.schema.json")).toEqual(jsonSchema("tool.shell.exited"));
    expect(files.get("agent-events/text_delta.schema.json")).toEqual(jsonSchema("text_delta"));
  });

  it("compile in ajv's strict mode, each on its own", () => {
    expect(validators.size).toBe(files.size);
  });

  it("have the draft, a unique id, a title and a description", () => {
    for (const schema of files.values()) {
      expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
      expect(schema.$id).toBe(`urn:spoor:v1:${schema.title}`);
      expect(schema.description).toMatch(/\.$/);
    }
    expect(new Set([...files.values()].map((schema) => schema.$id)).size).toBe(files.size);
  });

  it("state how stable a payload is", () => {
    for (const { type, standing } of envelopeCatalog) expect(jsonSchema(type)?.["x-standing"]).toBe(standing);
  });

  it("contain no private keywords and close no object", () => {
    expect(JSON.stringify([...files.values()])).not.toMatch(/"inProcess"|additionalProperties|patternProperties/);
  });

  it("do not exist for other names", () => {
    expect(jsonSchema("tool.unheard_of")).toBeUndefined();
    expect(jsonSchema("constructor")).toBeUndefined();
  });
});

describe("the typed envelope", () => {
  const accepts = (value: unknown) => validators.get("event")?.(value);

  it("checks the payload of a known type", () => {
    expect(accepts(envelope)).toBe(true);
    expect(accepts({ ...envelope, data: {} })).toBe(false);
    expect(accepts({ ...envelope, data: { turn_index: "1" } })).toBe(false);
  });

  it("accepts an unknown type with any payload", () => {
    expect(accepts({ ...envelope, type: "tool.hologram.shown", data: { depth: "very" } })).toBe(true);
    expect(accepts({ ...envelope, type: "tool.hologram.shown", data: null })).toBe(false);
  });

  it("accepts unknown fields", () => {
    expect(accepts({ ...envelope, position: 7, data: { turn_index: 1, mood: "good" } })).toBe(true);
  });

  it("reports a problem once, not once per known type", () => {
    const validate = validators.get("event");
    validate?.({ ...envelope, data: {} });
    expect(validate?.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([
      "/data must have required property 'turn_index'",
    ]);
  });
});

describe("the AgentEvent union", () => {
  const accepts = (value: unknown) => validators.get("agent-event")?.(value);

  it("accepts an event with or without in-memory fields", () => {
    expect(accepts(event)).toBe(true);
    expect(accepts({ ...event, accumulated: "Hi" })).toBe(true);
    expect(accepts({ ...event, accumulated: 2 })).toBe(false);
  });

  it("accepts only known events", () => {
    expect(accepts({ ...event, type: "text_hologram" })).toBe(false);
    expect(accepts(envelope)).toBe(false);
  });
});
