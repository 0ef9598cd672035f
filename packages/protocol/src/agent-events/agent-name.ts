import { Type } from "../schema.ts";

/** The built-in agents. The name of any other registered adapter is valid too. */
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

/** `string & {}` lets editors complete the built-in names while every other name is accepted. */
export type AgentName = BuiltInAgentName | (string & {});

export const AgentName = Type.Unsafe<AgentName>(
  Type.String({ minLength: 1, description: "The agent that produced the event: a built-in name or a registered one." }),
);
