import { adapters } from "../../agents/registry.ts";
import { agentNotFound } from "../../inventory/find-agent.ts";
import type { Log } from "../../log/log.ts";

/** Throws if Spoor does not know the agent and no recorded run has it. Programs can record agents of their own. */
export async function refuseUnknownAgent(log: Log, agent: string): Promise<void> {
  const names = [...adapters.map(({ name }) => name), "loop"];
  if (names.includes(agent) || (await log.runs({ agent, limit: 1 })).runs.length > 0) return;
  throw agentNotFound(agent, names);
}
