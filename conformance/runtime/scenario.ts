import type { Stage, StageSetup } from "./stage.ts";

/** One thing that a user does with a run from outside: the model's part, ours, and the required outcome. */
export interface RuntimeScenario extends StageSetup {
  name: string;
  /** The agent must ask, so the scenario is left out for agents that never do. */
  asks?: true;
  /** Returns the problems as sentences; empty if there are none. */
  play(stage: Stage): Promise<string[]>;
}
