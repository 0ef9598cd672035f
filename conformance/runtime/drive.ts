import type { Cli } from "../cli.ts";
import { expectSound } from "./expectations.ts";
import type { RuntimeScenario } from "./scenario.ts";
import { Stage } from "./stage.ts";

/** Plays one scenario with the real program. Returns the problems as sentences; empty if there are none. */
export async function drive(cli: Cli, scenario: RuntimeScenario): Promise<string[]> {
  const stage = await Stage.open(cli, scenario);
  try {
    const problems = await scenario.play(stage);
    return [...problems, ...(await expectSound(stage))];
  } catch (error) {
    return [(error as Error).message];
  } finally {
    await stage.close();
  }
}
