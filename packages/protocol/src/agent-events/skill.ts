import { Key, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

const skillName = Key("The skill's name.");

export const SkillLoadedEvent = agentEvent("skill_loaded", "A skill was loaded at start-up.", {
  skillName,
  source: Text("A file path, a package name, or `built-in`."),
});
export type SkillLoadedEvent = Static<typeof SkillLoadedEvent>;

export const SkillInvokedEvent = agentEvent("skill_invoked", "A skill was used.", { skillName });
export type SkillInvokedEvent = Static<typeof SkillInvokedEvent>;

export const AgentdocReadEvent = agentEvent("agentdoc_read", "An instructions file such as AGENTS.md was read.", {
  path: Key("The file's path."),
});
export type AgentdocReadEvent = Static<typeof AgentdocReadEvent>;
