import { Key, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

const plugin = {
  pluginId: Key("The id under which the agent knows the plugin."),
  pluginName: Text("Its name, for people."),
};

export const PluginLoadedEvent = agentEvent("plugin_loaded", "A plugin was loaded at start-up.", {
  ...plugin,
  version: Text("Its version; empty when unknown."),
});
export type PluginLoadedEvent = Static<typeof PluginLoadedEvent>;

export const PluginInvokedEvent = agentEvent("plugin_invoked", "A plugin was called.", plugin);
export type PluginInvokedEvent = Static<typeof PluginInvokedEvent>;

export const PluginErrorEvent = agentEvent("plugin_error", "A plugin failed. The run may continue.", {
  ...plugin,
  error: Text("What went wrong, for people."),
});
export type PluginErrorEvent = Static<typeof PluginErrorEvent>;
