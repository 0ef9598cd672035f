import { describe, expect, it } from "vitest";
import { digestOf } from "../digest.ts";
import { runtimeAgents } from "./agents.ts";
import { expectedRuntimeProblems } from "./expected.ts";
import { readRuntimeResults } from "./results.ts";
import { runtimeScenarios } from "./scenarios.ts";

const results = readRuntimeResults();

describe.each(runtimeAgents.map(({ name }) => name))("the last real run of %s under the runtime", (agent) => {
  it("used the current code of the adapter", () => {
    const how = `Run \`npm run conformance -- --runtime ${agent}\` and commit its results.json.`;
    expect(results[agent]?.digest, how).toBe(digestOf(agent));
  });

  it("had only expected problems", () => {
    const problems = Object.entries(results[agent]?.scenarios ?? {}).filter(
      ([scenario, told]) =>
        told !== "passed" && !told.startsWith("Left out") && told !== expectedRuntimeProblems[agent]?.[scenario],
    );
    expect(problems).toEqual([]);
  });

  it("covered every scenario", () => {
    expect(Object.keys(results[agent]?.scenarios ?? {})).toEqual(runtimeScenarios.map(({ name }) => name));
  });
});
