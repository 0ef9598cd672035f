import { createUlidSource } from "@spoor/protocol/ids";
import type { Adapter } from "../agents/machine.ts";
import { ValidationError } from "../failures/errors.ts";
import { AdapterRegistry } from "../inventory/adapter-registry.ts";
import { chooseRunnableDialect } from "../options/choose-dialect.ts";
import { type ConfigFolders, findConfigFolders } from "../options/config/config-folders.ts";
import { readConfiguration, withoutAliases } from "../options/config/configuration-files.ts";
import { Profiles } from "../options/config/profiles.ts";
import type { OptionLayer } from "../options/merge.ts";
import { checkCall, resolve } from "../options/resolve.ts";
import { defaultRetryPolicy } from "../options/retry-policy.ts";
import type { RunOptions, SharedOptions } from "../options/run-options.gen.ts";
import { optionProblems } from "../options/validate.ts";
import { createMeter, requireUsage } from "./budget.ts";
import type { RunClock } from "./clock.ts";
import type { Govern } from "./govern.ts";
import type { ObservedRun, RunObserver } from "./observer.ts";
import { requireProgram } from "./require-program.ts";
import { Run } from "./run.ts";
import type { Performer } from "./run-setup.ts";

export type { RunOptions } from "../options/run-options.gen.ts";

/** Defaults for every run of a client, and the options of the client itself. */
export interface RunnerOptions extends SharedOptions {
  /** Another name of `agent`. */
  defaultAgent?: string;
  /** Another name of `model`. */
  defaultModel?: string;
  /** Agents besides the built-in ones. An adapter replaces the built-in one of the same name. */
  adapters?: readonly Adapter[];
  /** Whether each event carries the line of the agent's output that it comes from, as `raw`. */
  debug?: boolean;
  /** The directory of the user's configuration and profiles; `$SPOOR_HOME`, otherwise `~/.spoor`, when absent. */
  configDir?: string;
  /** The directory of the project's configuration; the nearest `.spoor` at or above the working directory when absent. */
  projectConfigDir?: string;
  /** Random numbers and delays, for tests to replace. */
  clock?: RunClock;
}

/** `RunnerOptions` with an observer for each run and the rules for it, which `createClient` sets itself. */
export interface ObservedRunnerOptions extends RunnerOptions {
  observe?: (run: ObservedRun) => RunObserver;
  govern?: Govern;
  /** What carries out the runs of agents that have no process, by the agent's name. */
  performers?: Readonly<Record<string, Performer>>;
}

/** Runs agents. */
export interface Runner {
  readonly adapters: AdapterRegistry;
  readonly profiles: Profiles;
  /** Starts a run. Throws if the run cannot start; failures after the start are events. */
  run(options: RunOptions, observer?: Observer): Run;
  /** Checks everything and throws if the run cannot start, but starts nothing before `start()` is called. */
  prepare(options: RunOptions): PreparedRun;
}

/** A run whose options are checked, and which has not started. */
export interface PreparedRun {
  /** What the user's rules cannot hold, if there is something. */
  readonly warning?: string;
  start(observer?: Observer): Run;
}

/** An observer of a run, or a function that makes one for the run it is given. */
export type Observer = RunObserver | ((run: ObservedRun) => RunObserver);

/** Creates a runner for these agents. Loads only what a run needs; `createClient` adds the rest. */
export function createRunner(builtIn: readonly Adapter[], options: ObservedRunnerOptions = {}): Runner {
  const {
    adapters: added = [],
    debug = false,
    configDir,
    projectConfigDir,
    observe,
    govern,
    performers = {},
    clock,
    ...shared
  } = options;
  const defaults = withoutAliases(shared) as OptionLayer;
  const problems = optionProblems(defaults, "shared");
  if (problems.length > 0) throw new ValidationError(problems);
  const adapters = new AdapterRegistry(builtIn);
  for (const adapter of added) adapters.register(adapter);
  const newId = createUlidSource();
  const foldersOf = (cwd: string, environment: Environment = process.env): ConfigFolders =>
    findConfigFolders({
      cwd,
      environment,
      ...(configDir && { configDir }),
      ...(projectConfigDir && { projectConfigDir }),
    });
  const profilesOf = (cwd: string, environment?: Environment) =>
    new Profiles(() => ({ cwd, ...foldersOf(cwd, environment) }));

  const runner: Runner = {
    adapters,
    profiles: profilesOf(process.cwd()),
    run: (call, observer) => runner.prepare(call).start(observer),
    prepare(call) {
      checkCall(call);
      const { cwd = process.cwd(), environment = process.env, profile, onApprovalRequest, onInputRequired } = call;
      const chosen = profile === undefined ? [] : [profilesOf(cwd, environment).get(profile)];
      const folders = foldersOf(cwd, environment);
      const layers = [call, ...chosen, defaults, ...readConfiguration(folders)];
      const { agent, request: wanted, options: merged } = resolve(layers);
      const adapter = adapters.get(agent);
      const { dialect: name, stream = "auto", command, retryPolicy, env } = merged;
      const { passEnv, environmentMode, timeout, inactivityTimeout, gracePeriodMs, tags, collectEvents, snapshots } =
        merged;
      const { budget, budgetAdvisory = false, onReject } = merged;
      const configFolder = folders.global;
      const wantedRun = { adapter, request: wanted, configFolder, ...(name && { dialect: name }) };
      const performer = performers[agent];
      // A run that stores itself is also judged by the rules itself.
      const { request, isHeld, rewrite, warning } = (performer ? undefined : govern?.(wantedRun)) ?? {
        request: wanted,
      };
      const asks = onApprovalRequest !== undefined && request.approve === "ask";
      const needs = { request, asks, streams: stream === true, ...(name && { name }) };
      const dialect = chooseRunnableDialect(adapter, needs);
      if (dialect.live.command === "" && command === undefined && !performer) {
        const message = `command is missing: ${agent} needs the program to run, with its arguments.`;
        throw new ValidationError([{ field: "command", message }]);
      }
      if (budget !== undefined && !budgetAdvisory) requireUsage(adapter, dialect);
      const settings = {
        ...{ adapter, dialect, stream, debug, environment, request, configFolder },
        runId: call.runId ?? newId(),
        ...defined({
          ...{
            passEnv,
            environmentMode,
            timeout,
            inactivityTimeout,
            gracePeriodMs,
            tags,
            collectEvents,
            snapshots,
            clock,
            observe,
          },
          ...{ onApprovalRequest, onInputRequired, onReject, isHeld, rewrite, performer },
          set: env,
          command: typeof command === "string" ? [command] : command,
          retryPolicy: retryPolicy && { ...defaultRetryPolicy, ...retryPolicy },
        }),
      };
      const metered = budget !== undefined && { budget: createMeter(budget, budgetAdvisory) };
      if (performer) performer.check({ ...settings, ...metered });
      else requireProgram(settings);
      return {
        ...(warning !== undefined && { warning }),
        start: (observer) => new Run({ ...settings, ...metered, ...(observer && { observer }) }),
      };
    },
  };
  return runner;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Removes the fields that are undefined: to the compiler, undefined and absent are different. */
function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
