import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validStream } from "../../testing/arbitrary.ts";
import { compileAll } from "../../testing/json-schema/ajv.ts";
import { record } from "../../testing/record.ts";

const byAjv = compileAll();
const rejected = (document: string, values: unknown[]): unknown[] =>
  values.filter((value) => byAjv.get(document)?.(value) !== true);

describe("a run that keeps the contract", () => {
  it("prints only AgentEvents that the schema accepts", () => {
    const print = (name: string, value: unknown) => (/accumulated$/i.test(name) ? undefined : value);
    fc.assert(
      fc.property(validStream(), (events) => {
        expect(rejected("agent-event", JSON.parse(JSON.stringify(events, print)))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it("stores only envelopes that the schema accepts", () => {
    fc.assert(
      fc.property(validStream(), (events) => {
        expect(
          rejected(
            "event",
            record(events).map((line) => JSON.parse(line)),
          ),
        ).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
