import type { AgentEvent, FailureCode } from "../../packages/protocol/src/index.ts";
import type { RunOptions } from "../../packages/spoor/src/client.ts";
import type { Run } from "../../packages/spoor/src/run/run.ts";
import type { RunResult } from "../../packages/spoor/src/run/run-result.ts";
import type { Block, Script } from "../model-server/script.ts";
import type { Tools } from "../tools.ts";

/** The outcome of a scenario. */
export interface Outcome {
  events: readonly AgentEvent[];
  result: RunResult;
  cwd: string;
  /** The last request to the model, as JSON. */
  asked: string;
  /** The session of the run before. */
  earlier?: string;
}

/**
 * One behaviour that all agents should share, whatever their dialect: the model's part, ours, and the required outcome.
 */
export interface Scenario {
  name: string;
  script(tools: Tools, cwd: string): Script;
  approve?: "ask" | "auto" | "deny";
  /** Further options of the run. */
  options?: Partial<RunOptions>;
  /** Refusing the run before it starts passes as well. */
  mayBeRefused?: true;
  /** The code that the run fails with. Our own loop may also be refused with it before it starts. */
  expects?: FailureCode;
  /** Left out for agents without such a tool. */
  needs?: keyof Tools;
  /** A run that comes first. This one continues its session or a copy of it. */
  after?: "resume" | "fork";
  /** The agent is not logged in. */
  withoutKey?: true;
  /** Our part while the agent runs. */
  act?(handle: Run): void;
  before?(cwd: string): void;
  /** The problems with the outcome, as sentences; empty if there are none. */
  problems(outcome: Outcome): string[];
}

export const text = (words: string, deltas = 3): Block => ({ type: "text", text: words, deltas });
export const answer = (...blocks: Block[]): Script[number] => ({ blocks });
