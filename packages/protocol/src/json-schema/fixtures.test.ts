import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileAll } from "../../testing/json-schema/ajv.ts";

const folder = new URL("../../fixtures/", import.meta.url);
const byAjv = compileAll();
const accepted = (document: string, line: string): boolean => byAjv.get(document)?.(JSON.parse(line)) === true;

/** Broken fixtures are named after the rule they break. A schema can check only these rules; the others concern the order. */
const shapeRules = ["base.shape", "envelope.payload", "envelope.shape"];

describe("the golden fixtures", () => {
  it("of envelopes are accepted, line by line", () => {
    expect(linesIn("envelopes").filter(({ line }) => !accepted("event", line))).toEqual([]);
  });

  it("of AgentEvents are accepted, line by line", () => {
    expect(linesIn("agent-events").filter(({ line }) => !accepted("agent-event", line))).toEqual([]);
  });
});

describe("the broken fixtures", () => {
  it("contain a line that no schema accepts if and only if they break a rule about the shape", () => {
    const rejected = linesIn("broken").filter(({ line }) => !accepted("event", line) && !accepted("agent-event", line));
    expect([...new Set(rejected.map(({ file }) => file))].sort()).toEqual(shapeRules.map((rule) => `${rule}.jsonl`));
  });
});

/** Every line of a folder's files. An empty folder is an error. */
function linesIn(name: string): { file: string; line: string }[] {
  const files = readdirSync(new URL(name, folder)).filter((file) => file.endsWith(".jsonl"));
  const lines = files.flatMap((file) =>
    readFileSync(new URL(`${name}/${file}`, folder), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({ file, line })),
  );
  expect(lines.length, `packages/protocol/fixtures/${name} contains no lines`).toBeGreaterThan(0);
  return lines;
}
