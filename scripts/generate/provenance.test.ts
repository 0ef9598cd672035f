import { describe, expect, it } from "vitest";
import { envelopeCatalog, envelopeDefinition } from "../../packages/protocol/src/envelope/catalog.ts";
import { provenance } from "./provenance.ts";

const everywhere = ["redacted_keys", "redacted_paths"];

describe.each(Object.entries(provenance))("the origins of %s", (type, { draft, reference, ours }) => {
  const fields = Object.keys(envelopeDefinition(type)?.data.properties ?? {}).filter(
    (name) => !everywhere.includes(name),
  );

  it("name exactly the fields of its definition", () => {
    expect([...new Set([...draft, ...reference, ...ours])].sort()).toEqual(fields.sort());
  });

  it("call a field ours only if neither document has it", () => {
    expect(ours.filter((name) => draft.includes(name) || reference.includes(name))).toEqual([]);
  });
});

describe("the origins", () => {
  it("leave out the fields that are common to all payloads", () => {
    for (const { data } of envelopeCatalog)
      expect(Object.keys(data.properties)).toEqual(expect.arrayContaining(everywhere));
  });
});
