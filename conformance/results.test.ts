import { describe, expect, it } from "vitest";
import { CLIS } from "./clis.ts";
import { digestOf } from "./digest.ts";
import { expectedProblems } from "./expected.ts";
import { readResults } from "./results.ts";
import { scenarios, scenariosOf } from "./scenarios.ts";
import { readWires } from "./wire.ts";

const results = readResults();
const wires = readWires();

describe.each(CLIS.map((cli) => [cli.name, cli] as const))("the last real run of %s", (agent, cli) => {
  it("used the current code of the adapter", () => {
    expect(results[agent]?.digest, "Run `npm run conformance` and commit results.json.").toBe(digestOf(agent));
  });

  it("had only expected problems", () => {
    const problems = Object.entries(results[agent]?.scenarios ?? {}).filter(
      ([scenario, told]) =>
        told !== "passed" && !told.startsWith("Left out") && told !== expectedProblems[agent]?.[scenario],
    );
    expect(problems).toEqual([]);
  });

  it("covered every scenario", () => {
    expect(Object.keys(results[agent]?.scenarios ?? {})).toEqual(scenariosOf(cli).map(({ name }) => name));
  });

  it("stored its frames for comparison with a later version", () => {
    expect(wires[agent]?.version).toBe(results[agent]?.version);
  });
});

describe("the last run of our own loop", () => {
  it("covered every scenario, with only expected problems", () => {
    const outcomes = Object.entries(results.loop?.scenarios ?? {});
    expect(outcomes.map(([name]) => name)).toEqual(scenarios.map(({ name }) => name));
    const problems = outcomes.filter(
      ([name, told]) => told !== "passed" && !told.startsWith("Left out") && told !== expectedProblems.loop?.[name],
    );
    expect(problems).toEqual([]);
  });
});
