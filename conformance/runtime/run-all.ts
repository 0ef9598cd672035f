import type { Cli } from "../cli.ts";
import { judgeScenario } from "../outcome.ts";
import { drive } from "./drive.ts";
import { expectedRuntimeProblems, neverAsk } from "./expected.ts";
import { runtimeScenarios } from "./scenarios.ts";

interface RuntimeRuns {
  /** `passed`, or the problem. */
  scenarios: Record<string, string>;
  /** Unexpected problems, and expected ones that did not occur. */
  surprises: number;
}

/** Plays every scenario with one agent and prints each outcome. */
export async function runAllUnderRuntime(cli: Cli): Promise<RuntimeRuns> {
  const outcomes: Record<string, string> = {};
  let surprises = 0;
  for (const scenario of runtimeScenarios) {
    const leftOut = scenario.asks && neverAsk[cli.name];
    if (leftOut) {
      outcomes[scenario.name] = `Left out: ${leftOut}`;
      continue;
    }
    const problems = await drive(cli, scenario);
    const expected = expectedRuntimeProblems[cli.name]?.[scenario.name];
    const { told, isSurprise } = judgeScenario(`${cli.name}: ${scenario.name}`, problems, expected);
    outcomes[scenario.name] = told;
    if (isSurprise) surprises += 1;
  }
  return { scenarios: outcomes, surprises };
}
