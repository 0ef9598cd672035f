import { readFileSync } from "node:fs";
import { expectedProblems } from "../expected.ts";
import type { AllRuns } from "../run-all.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { scenarios } from "../scenarios.ts";
import { driveLoop } from "./drive.ts";
import { loopToolsOf } from "./tools.ts";
import { type ProviderWire, provenWires } from "./wires.ts";

/** Drives our own loop through every scenario, in every language of a provider, and prints each outcome. */
export async function runAllOfLoop(): Promise<Omit<AllRuns, "wire">> {
  const outcomes: Record<string, string> = {};
  const types = new Set<string>();
  let surprises = 0;
  for (const scenario of scenarios) {
    if (isLeftOut(scenario)) {
      outcomes[scenario.name] = "Left out: the loop has no such tool.";
      continue;
    }
    const problems: string[] = [];
    for (const wire of provenWires) {
      const driven = await driveLoop(wire, scenario);
      for (const { type } of driven.events) types.add(type);
      problems.push(...driven.problems.map((problem) => `${wire.model}: ${problem}`));
    }
    const expected = expectedProblems.loop?.[scenario.name];
    outcomes[scenario.name] = problems.length === 0 ? "passed" : (expected ?? problems.join(" "));
    const isSurprise = problems.length > 0 !== (expected !== undefined);
    if (isSurprise) surprises += 1;
    console.log(`${isSurprise ? "✗" : problems.length === 0 ? "✓" : "–"} loop: ${scenario.name}`);
    if (isSurprise) for (const problem of problems) console.log(`    ${problem}`);
    if (isSurprise && problems.length === 0) console.log("    It passes now: take it off the list in expected.ts.");
  }
  return { scenarios: outcomes, types: [...types].sort(), surprises };
}

/** Whether the loop has no tool for a scenario. */
export const isLeftOut = ({ needs }: Scenario, wire: ProviderWire | undefined = provenWires[0]): boolean =>
  needs !== undefined && wire !== undefined && loopToolsOf(wire.dialect)[needs] === undefined;

/** The version of Spoor, of which the loop is a part. */
export function loopVersion(): string {
  const file = new URL("../../packages/spoor/package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
