import type { PluginFacts } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { CapabilityError } from "../../failures/errors.ts";
import { findAgent } from "../find-agent.ts";
import type { Surroundings } from "../locate.ts";
import { type InstalledPlugin, listPlugins } from "./list.ts";

export interface Plugins {
  /** Those of the user, by what the agent has written down. */
  list(agent: string): Promise<InstalledPlugin[]>;
  /** What the agent calls them, and its own commands for them: installing is left to it. */
  facts(agent: string): PluginFacts;
}

export function createPlugins({ adapters, ...around }: { adapters: Iterable<Adapter> } & Surroundings): Plugins {
  const facts = (agent: string): PluginFacts => {
    const found = findAgent(adapters, agent).about?.plugins;
    if (!found) throw new CapabilityError(agent, "plugins", `${agent} has no plugins that we know of.`);
    return found;
  };
  return {
    facts,
    list: async (agent) => listPlugins(facts(agent).listing, findAgent(adapters, agent).about?.settings, around),
  };
}
