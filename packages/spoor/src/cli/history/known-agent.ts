import { adapters } from "../../agents/registry.ts";
import { agentNotFound } from "../../inventory/find-agent.ts";
import type { Log } from "../../log/log.ts";

/** Refuses the name of an agent that Spoor does not know and that no recorded run has: a program may bring agents of its own. */
export async function refuseUnknownAgent(log: Log, agent: string): Promise<void> {
  const names = adapters.map(({ name }) => name);
  if (names.includes(agent) || (await log.runs({ agent, limit: 1 })).runs.length > 0) return;
  throw agentNotFound(agent, names);
}
