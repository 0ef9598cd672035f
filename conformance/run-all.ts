import type { Cli } from "./cli.ts";
import { drive } from "./drive.ts";
import { expectedProblems } from "./expected.ts";
import { judgeScenario } from "./outcome.ts";
import { scenariosOf } from "./scenarios.ts";
import { toolsOf } from "./tools.ts";
import { type Heard, type Wire, wireOf } from "./wire.ts";

export interface AllRuns {
  /** `passed`, or the problem. */
  scenarios: Record<string, string>;
  /** The event types that occurred. */
  types: string[];
  wire: Wire;
  /** Unexpected problems, and expected ones that did not occur. */
  surprises: number;
}

/** Drives one agent through every scenario and prints each outcome. */
export async function runAll(cli: Cli, version: string, modules?: string): Promise<AllRuns> {
  const outcomes: Record<string, string> = {};
  const heard: Record<string, Heard> = {};
  let surprises = 0;
  for (const scenario of scenariosOf(cli)) {
    if (scenario.needs && !toolsOf[cli.name]?.[scenario.needs]) {
      outcomes[scenario.name] = "Left out: this agent has no such tool in the dialect it is run in.";
      continue;
    }
    const { problems, events, lines } = await drive(cli, scenario, modules);
    heard[scenario.name] = { lines, events: events.map(({ type }) => type) };
    const expected = expectedProblems[cli.name]?.[scenario.name];
    const { told, isSurprise } = judgeScenario(`${cli.name}: ${scenario.name}`, problems, expected);
    outcomes[scenario.name] = told;
    if (isSurprise) surprises += 1;
  }
  const wire = wireOf(version, heard);
  return { scenarios: outcomes, types: wire.events, wire, surprises };
}
