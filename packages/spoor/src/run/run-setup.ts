import type { Adapter, LaunchRequest } from "../agents/machine.ts";
import type { EstimateMoment } from "../assemble/spending.ts";
import type { Callbacks } from "../options/callbacks.ts";
import type { RunnableDialect } from "../options/choose-dialect.ts";
import type { RetryPolicy } from "../options/retry-policy.ts";
import type { EnvironmentChoice } from "./agent-environment.ts";
import type { BudgetMeter } from "./budget-meter.ts";
import type { RunClock } from "./clock.ts";
import type { RewrittenModel } from "./govern.ts";
import type { ObservedRun, RunObserver, RunStart } from "./observer.ts";
import type { OnPerformed, Performance } from "./performance.ts";
import type { Limits } from "./run-limits.ts";

/** The program to start, the dialect it speaks and its environment. */
export interface ProgramSetup extends EnvironmentChoice {
  dialect: RunnableDialect;
  /** The program and its first arguments, if it is not on the PATH under its usual name. */
  command?: readonly string[];
  /** Milliseconds from SIGTERM to SIGKILL. */
  gracePeriodMs?: number;
}

export interface AttemptSetup extends ProgramSetup {
  adapter: Adapter;
  request: LaunchRequest;
  runId: string;
  stream: "auto" | true | false;
  debug: boolean;
  /** Nothing is retried when absent. */
  retryPolicy?: RetryPolicy;
  clock?: RunClock;
  budget?: BudgetMeter;
}

/** A run with a budget needs to know at once what a model call costs. */
export const estimatesOf = ({ budget }: Pick<AttemptSetup, "budget">): EstimateMoment => (budget ? "usage" : "turn");

/** Everything a run needs to know before it starts, all options merged and checked. */
export interface RunSetup extends AttemptSetup, Callbacks, Omit<Limits, "maxTurns"> {
  observer?: RunObserver | ((run: ObservedRun) => RunObserver);
  /** Makes a further observer, for this run and for each run that continues it. */
  observe?: (run: ObservedRun) => RunObserver;
  tags?: readonly string[];
  collectEvents?: boolean;
  /** Whether the files that calls change are looked for. Default: true. */
  snapshots?: boolean;
  /** What happens when an action is refused. Default: the agent carries on without it. */
  onReject?: "continue" | "fail";
  /** The folder of the user's configuration, which may define hooks. */
  configFolder?: string;
  /** Whether the agent asks only because rules or hooks decide. */
  isHeld?: boolean;
  /** The model that a rule replaced. */
  rewrite?: RewrittenModel;
  /** Carries out the run, if the agent has no process. */
  performer?: Performer;
}

/**
 * Carries out runs of an agent that has no process of its own. Such a run stores its events itself, and holds its limits
 * itself, so the observers of the runner are not asked.
 */
export interface Performer {
  /** Throws if it can already be seen that the run cannot start. */
  check(setup: RunSetup): void;
  perform(setup: RunSetup, run: ObservedRun, on: OnPerformed): { performance: Performance; observer: RunObserver };
}

/** What the observer of a run is told when the run starts. */
export function startOf(setup: RunSetup, isGated: boolean): RunStart {
  const { runId, adapter, dialect, request, stream, environment, set, snapshots } = setup;
  const { budget, rewrite, isHeld, configFolder, command } = setup;
  return {
    ...{ runId, agent: adapter.name, dialect: dialect.name, request, stream, isGated },
    environment: { ...environment, ...set },
    snapshots: snapshots !== false,
    estimates: estimatesOf(setup),
    ...(budget && { budget }),
    ...(command && { command }),
    ...(rewrite && { rewrite }),
    ...(isHeld && { isHeld }),
    ...(configFolder !== undefined && { configFolder }),
  };
}
