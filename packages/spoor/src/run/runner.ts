import { createUlidSource } from "@spoor/protocol/ids";
import type { Adapter } from "../agents/machine.ts";
import { ValidationError } from "../failures/errors.ts";
import { AdapterRegistry } from "../inventory/adapter-registry.ts";
import { chooseWire } from "../options/choose-dialect.ts";
import { readConfiguration, renamed } from "../options/config/configuration-files.ts";
import { findPlaces, type Places } from "../options/config/places.ts";
import { Profiles } from "../options/config/profiles.ts";
import type { Layer } from "../options/merge.ts";
import { checkCall, resolve } from "../options/resolve.ts";
import { defaultRetryPolicy } from "../options/retry-policy.ts";
import type { RunOptions } from "../options/run-options.ts";
import { optionProblems } from "../options/validate.ts";
import type { Clock } from "./clock.ts";
import type { RunObserver } from "./observer.ts";
import { requireProgram } from "./require-program.ts";
import { Run } from "./run.ts";

export type { RunOptions } from "../options/run-options.ts";

/** Options that stand for every run of the client, and what is the client's alone. */
export interface ClientOptions extends Omit<RunOptions, keyof PerRun> {
  defaultAgent?: string;
  defaultModel?: string;
  /** Agents besides the built-in ones; one of the same name takes its place. */
  adapters?: readonly Adapter[];
  /** Whether events carry the line they come from. */
  debug?: boolean;
  /** The user's folder of configuration (`$SPOOR_HOME`, else `~/.spoor`) and the project's (`.spoor`, found upward). */
  configDir?: string;
  projectConfigDir?: string;
  /** Chance and waiting, for tests to replace. */
  clock?: Clock;
}

type PerRun = Pick<
  RunOptions,
  | "prompt"
  | "profile"
  | "attachments"
  | "resume"
  | "fork"
  | "sessionId"
  | "forkSessionId"
  | "cwd"
  | "environment"
  | "runId"
  | "onApprovalRequest"
  | "onInputRequired"
>;

/** What runs agents. */
export interface Runner {
  readonly adapters: AdapterRegistry;
  readonly profiles: Profiles;
  /** Starts a run. Throws at once what keeps it from starting; what happens later is an event. */
  run(options: RunOptions, observer?: RunObserver): Run;
  /** The same in two steps: checks everything and throws what is wrong, and starts nothing yet. */
  prepare(options: RunOptions): PreparedRun;
}

export interface PreparedRun {
  start(observer?: RunObserver): Run;
}

/** Runs these agents, with nothing loaded that a run has no need of; `createClient` has all the rest. */
export function createRunner(builtIn: readonly Adapter[], options: ClientOptions = {}): Runner {
  const { adapters: added = [], debug = false, configDir, projectConfigDir, clock, ...shared } = options;
  const defaults = renamed(shared) as Layer;
  const problems = optionProblems(defaults, "shared");
  if (problems.length > 0) throw new ValidationError(problems);
  const adapters = new AdapterRegistry(builtIn);
  for (const adapter of added) adapters.register(adapter);
  const newId = createUlidSource();
  const placesOf = (cwd: string, environment: Environment = process.env): Places =>
    findPlaces({ cwd, environment, ...(configDir && { configDir }), ...(projectConfigDir && { projectConfigDir }) });
  const profilesOf = (cwd: string, environment?: Environment) =>
    new Profiles(() => ({ cwd, ...placesOf(cwd, environment) }));

  const runner: Runner = {
    adapters,
    profiles: profilesOf(process.cwd()),
    run: (call, observer) => runner.prepare(call).start(observer),
    prepare(call) {
      checkCall(call);
      const { cwd = process.cwd(), environment = process.env, profile, onApprovalRequest, onInputRequired } = call;
      const chosen = profile === undefined ? [] : [profilesOf(cwd, environment).get(profile)];
      const layers = [call, ...chosen, defaults, ...readConfiguration(placesOf(cwd, environment))];
      const { agent, request, rest } = resolve(layers);
      const adapter = adapters.get(agent);
      const { dialect: name, stream = "auto", command, retryPolicy, env } = rest;
      const { passEnv, environmentMode, timeout, inactivityTimeout, gracePeriodMs, tags, collectEvents } = rest;
      const asks = onApprovalRequest !== undefined && request.approve === "ask";
      const dialect = chooseWire(adapter, { request, asks, streams: stream === true, ...(name && { name }) });
      if (dialect.live.command === "" && command === undefined) {
        const message = `command is missing: ${agent} needs the program to run, with its arguments.`;
        throw new ValidationError([{ field: "command", message }]);
      }
      const handleOptions = {
        adapter,
        dialect,
        runId: call.runId ?? newId(),
        stream,
        debug,
        environment,
        request,
        ...(env && { set: env }),
        ...(command !== undefined && { command: typeof command === "string" ? [command] : command }),
        ...(passEnv && { passEnv }),
        ...(environmentMode && { environmentMode }),
        ...(retryPolicy && { retryPolicy: { ...defaultRetryPolicy, ...retryPolicy } }),
        ...(clock && { clock }),
        ...(timeout !== undefined && { timeout }),
        ...(inactivityTimeout !== undefined && { inactivityTimeout }),
        ...(gracePeriodMs !== undefined && { gracePeriodMs }),
        ...(tags && { tags }),
        ...(collectEvents && { collectEvents }),
        ...(onApprovalRequest && { onApprovalRequest }),
        ...(onInputRequired && { onInputRequired }),
      };
      requireProgram(handleOptions);
      return { start: (observer) => new Run({ ...handleOptions, ...(observer && { observer }) }) };
    },
  };
  return runner;
}

type Environment = Readonly<Record<string, string | undefined>>;
