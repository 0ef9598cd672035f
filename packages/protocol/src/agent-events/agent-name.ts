import { Type } from "../schema.ts";

/** The agents Spoor knows by name; any other registered adapter name is as good. */
export const builtInAgentNames = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "opencode",
  "pi",
  "omp",
  "openclaw",
  "hermes",
  "zot",
] as const;

export type BuiltInAgentName = (typeof builtInAgentNames)[number];

/** `string & {}` keeps editors completing the built-in names while accepting every other. */
export type AgentName = BuiltInAgentName | (string & {});

export const AgentName = Type.Unsafe<AgentName>(
  Type.String({ minLength: 1, description: "The agent that produced the event: a built-in name or a registered one." }),
);
