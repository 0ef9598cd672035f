import { Key, optional, Text } from "../schema.ts";
import { dotted } from "./define.ts";
import { costFields } from "./money.ts";

const plugin = { plugin_id: Key("The plugin."), plugin_name: Text("The plugin's name, for people.") };
const skill_name = Key("The skill.");
const subagent = {
  subagent_id: Key("The same in all events of one subagent."),
  agent_name: Key("The subagent's name."),
};

/** Plugins, skills and subagents. */
export const extensionDefinitions = [
  dotted("plugin.loaded", "additive", "A plugin was loaded at start-up.", {
    ...plugin,
    version: Text("The plugin's version; empty when unknown."),
  }),
  dotted("plugin.invoked", "additive", "A plugin was called.", plugin),
  dotted("plugin.failed", "additive", "A plugin failed. The run may continue.", {
    ...plugin,
    error: Text("What went wrong."),
  }),
  dotted("skill.loaded", "additive", "A skill was loaded at start-up.", {
    skill_name,
    source: Text("A file path, a package name, or `built-in`."),
  }),
  dotted("skill.invoked", "additive", "A skill was used.", { skill_name }),
  dotted("skill.agentdoc_read", "additive", "An instructions file such as AGENTS.md was read.", {
    path: Key("The file."),
  }),
  dotted("subagent.started", "additive", "The agent hands a task to another agent.", {
    ...subagent,
    prompt: Text("The task."),
    child_run_id: optional(Key("The run that records the subagent's events.")),
  }),
  dotted("subagent.completed", "additive", "The subagent finished.", {
    ...subagent,
    summary: Text("What the subagent reported."),
    ...costFields,
  }),
  dotted("subagent.failed", "additive", "The subagent failed.", { ...subagent, error: Text("What went wrong.") }),
] as const;
