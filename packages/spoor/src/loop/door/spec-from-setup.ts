import { CapabilityError } from "../../failures/errors.ts";
import type { RunSetup } from "../../run/run-setup.ts";
import { specFromOptions } from "../../runtime/specification/from-options.ts";
import { readSpec, type TaskSpec } from "../../runtime/specification/spec.ts";

/** The task that asks for what a run of the loop was asked for. */
export function specFromSetup(setup: RunSetup, more: Partial<TaskSpec> = {}): TaskSpec {
  const { request, budget, onReject, timeout } = setup;
  const { cwd, mcpServers = [], remoteMcpServers = [], attachments: _, environment: __, ...options } = request;
  const servers = [...mcpServers, ...remoteMcpServers];
  const { spec } = specFromOptions({
    ...options,
    ...(servers.length > 0 && { mcpServers: servers }),
    ...(budget && { budget: budget.budget.micros / 1e6, budgetAdvisory: budget.budget.advisory }),
    ...(onReject && { onReject }),
    ...(timeout && { timeout }),
  });
  return readSpec({ ...spec, ...more, kind: "agent_loop", workspace: { mode: "in_place", path: cwd } });
}

/** Throws if an option is set that only agents with a process of their own have. */
export function requireLoopOptions(setup: RunSetup): void {
  const refused = refusals.find(([name]) => isSet(setup[name]));
  if (!refused) return;
  const [name, words] = refused;
  throw new CapabilityError("loop", name, `loop does not take ${words}: it has no process of its own. Leave it out.`);
}

const isSet = (value: unknown): boolean =>
  value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);

const refusals: readonly (readonly [keyof RunSetup, string])[] = [
  ["command", "a command"],
  ["set", "environment variables"],
  ["passEnv", "environment variables to pass on"],
  ["environmentMode", "an environment mode"],
  ["retryPolicy", "a retry policy"],
  ["inactivityTimeout", "an inactivity timeout"],
];
