import type { AgentEvent } from "../../packages/protocol/src/index.ts";
import type { RunOptions } from "../../packages/spoor/src/client.ts";
import type { Run } from "../../packages/spoor/src/run/run.ts";
import type { RunResult } from "../../packages/spoor/src/run/run-result.ts";
import type { Block, Script } from "../model-server/script.ts";
import type { Tools } from "../tools.ts";

/** What came of a scenario. */
export interface Outcome {
  events: readonly AgentEvent[];
  result: RunResult;
  cwd: string;
  /** What the model was asked last, as JSON. */
  asked: string;
  /** The session of the run that came before. */
  earlier?: string;
}

/** One thing every agent should do the same, whatever its wire: the model's part, ours, and what must come of it. */
export interface Scenario {
  name: string;
  script(tools: Tools, cwd: string): Script;
  approve?: "ask" | "auto" | "deny";
  /** What else is asked of the run. */
  options?: Partial<RunOptions>;
  /** Refusing the run before it starts is as good. */
  mayBeRefused?: true;
  /** Left out for agents without such a tool. */
  needs?: keyof Tools;
  /** A run that comes before, whose session this one goes on with, or with a copy of. */
  after?: "resume" | "fork";
  /** The agent is not logged in. */
  withoutKey?: true;
  /** Our part while it runs. */
  act?(handle: Run): void;
  before?(cwd: string): void;
  /** What is wrong with the outcome, in words; empty when nothing is. */
  problems(outcome: Outcome): string[];
}

export const text = (words: string, deltas = 3): Block => ({ type: "text", text: words, deltas });
export const answer = (...blocks: Block[]): Script[number] => ({ blocks });
