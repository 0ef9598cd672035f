import type { PluginFacts } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { CapabilityError } from "../../failures/errors.ts";
import { findAgent } from "../find-agent.ts";
import type { LookupContext } from "../locate.ts";
import { type InstalledPlugin, listPlugins } from "./list-plugins.ts";

/** Lists the plugins of agents. */
export interface Plugins {
  /** Lists the user's plugins from the agent's own files. */
  list(agent: string): Promise<InstalledPlugin[]>;
  /** Returns the agent's name for plugins and its commands for them. Spoor does not install plugins itself. */
  facts(agent: string): PluginFacts;
}

/**
 * Reads which plugins the agents have, from their own files.
 *
 * @example
 * const plugins = createPlugins({ adapters });
 * for (const plugin of await plugins.list("claude")) console.log(plugin.id, plugin.version);
 */
export function createPlugins({ adapters, ...context }: { adapters: Iterable<Adapter> } & LookupContext): Plugins {
  const facts = (agent: string): PluginFacts => {
    const found = findAgent(adapters, agent).about?.plugins;
    if (!found) throw new CapabilityError(agent, "plugins", `Spoor knows of no plugins for ${agent}.`);
    return found;
  };
  return {
    facts,
    list: async (agent) => listPlugins(facts(agent).listing, findAgent(adapters, agent).about?.settings, context),
  };
}
