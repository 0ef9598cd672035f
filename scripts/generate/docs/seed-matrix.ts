import type { AgentEventCategory } from "../../../packages/protocol/src/agent-events/catalog.ts";

/** The support levels of agents in section 26.1 of the AgentEvent specification. */
export const seedMatrix: Readonly<Record<string, Readonly<Record<AgentEventCategory, string>>>> = {
  claude: levels({ plugin: "Partial" }),
  codex: levels({ session: "Partial", mcp: "No", subagent: "No", plugin: "No", skill: "No", multimodal: "Partial" }),
  gemini: levels({ session: "Partial", mcp: "Partial", subagent: "No", plugin: "No", skill: "No" }),
  copilot: levels({
    ...{
      session: "Minimal",
      turn: "Turn only",
      thinking: "No",
      tool: "Partial",
      shell: "No",
      mcp: "No",
      subagent: "No",
    },
    ...{ plugin: "No", skill: "No", multimodal: "No", cost: "No", interaction: "Partial", rateLimit: "Partial" },
  }),
  cursor: levels({
    ...{ session: "Partial", turn: "Turn only", thinking: "No", file: "Partial", shell: "Partial", subagent: "No" },
    ...{ cost: "No", rateLimit: "Partial" },
  }),
  opencode: levels({ subagent: "No", multimodal: "Partial" }),
  pi: levels({ subagent: "Partial", multimodal: "Partial" }),
  omp: levels({ subagent: "Partial", multimodal: "Partial" }),
  openclaw: levels({}),
  hermes: levels({ subagent: "No", plugin: "No", skill: "No", multimodal: "Partial" }),
};

function levels(others: Partial<Record<AgentEventCategory, string>>): Record<AgentEventCategory, string> {
  return {
    ...{ session: "Full", turn: "Full", text: "Full", thinking: "Full", tool: "Full", file: "Full", shell: "Full" },
    ...{ mcp: "Full", subagent: "Full", plugin: "Full", skill: "Full", multimodal: "Full", cost: "Full" },
    ...{ interaction: "Full", rateLimit: "Full", runLifecycle: "Full", error: "Full", debug: "Full" },
    ...others,
  };
}
