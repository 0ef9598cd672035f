import { type Environment, inheritEnvironment, scrubEnvironment } from "../process/environment.ts";

export interface EnvironmentChoice {
  /** The caller's environment. */
  environment: Environment;
  /**
   * `inherit`, the default, passes the environment on as a shell does. `clean` passes only the variables that programs
   * need to run, that the agent is known to need, or that `passEnv` names.
   */
  environmentMode?: "inherit" | "clean";
  /** Names of further variables to pass on. */
  passEnv?: readonly string[];
  /** Variables that are set for the agent and override the environment. */
  set?: Readonly<Record<string, string>>;
}

/** The environment of an agent's process. `launch` comes from the adapter: variables to pass on, and values to set. */
export function agentEnvironment(
  { environment, environmentMode, passEnv = [], set }: EnvironmentChoice,
  launch: { allow?: readonly string[]; set?: Readonly<Record<string, string>> } = {},
): Record<string, string> {
  const values = { ...launch.set, ...set };
  if (environmentMode !== "clean") return inheritEnvironment(environment, { named: passEnv, set: values });
  return scrubEnvironment(environment, { allow: [...(launch.allow ?? []), ...passEnv], set: values });
}

/** The environment of a command that we run for an agent: that of the agent, but without its keys in `clean` mode. */
export function commandEnvironment(choice: EnvironmentChoice, set: Environment = {}): Record<string, string> {
  if (choice.environmentMode === "clean") return scrubEnvironment(choice.environment, { set });
  return inheritEnvironment(choice.environment, { named: choice.passEnv, set: { ...choice.set, ...set } });
}
