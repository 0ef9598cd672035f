import { type Environment, inheritEnvironment, scrubEnvironment } from "../process/environment.ts";

export interface EnvironmentChoice {
  /** The caller's environment. */
  environment: Environment;
  /**
   * `inherit`, the default, passes it on as a shell would. `clean` passes on what programs need to run, what the agent is
   * known to need, and what `passEnv` names.
   */
  environmentMode?: "inherit" | "clean";
  /** Names of variables to let through besides. */
  passEnv?: readonly string[];
  /** Variables the agent gets whatever the environment says. */
  set?: Readonly<Record<string, string>>;
}

/** What an agent's process sees. `launch` is what its adapter knows: names it needs, and values it is started with. */
export function agentEnvironment(
  { environment, environmentMode, passEnv = [], set }: EnvironmentChoice,
  launch: { allow?: readonly string[]; set?: Readonly<Record<string, string>> } = {},
): Record<string, string> {
  const values = { ...launch.set, ...set };
  if (environmentMode !== "clean") return inheritEnvironment(environment, { named: passEnv, set: values });
  return scrubEnvironment(environment, { allow: [...(launch.allow ?? []), ...passEnv], set: values });
}

/** What a command sees that we run for an agent: the same as the agent, but in `clean` mode none of the agent's keys. */
export function commandEnvironment(choice: EnvironmentChoice, set: Environment = {}): Record<string, string> {
  if (choice.environmentMode === "clean") return scrubEnvironment(choice.environment, { set });
  return inheritEnvironment(choice.environment, { named: choice.passEnv, set: { ...choice.set, ...set } });
}
