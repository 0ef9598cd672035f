import type { AgentRecord } from "@spoor/protocol/client";

/** Installed ones first. */
export const inOrder = (agents: readonly AgentRecord[]): AgentRecord[] =>
  agents.toSorted((one, other) => Number(other.installed) - Number(one.installed));

/** What an agent cannot be held to, and why, by the field of the form. */
export function limitsOf(agent: AgentRecord | undefined): { approve?: string; budget?: string } {
  const { title = "It", controls } = agent ?? {};
  if (!controls) return {};
  return {
    ...(!controls.asks_permission && { approve: `${title} does not ask before it acts, so you cannot be asked.` }),
    ...(!controls.reports_usage && { budget: `${title} does not say what it costs, so no budget can be held.` }),
  };
}
