import type { AgentEventCategory } from "../../../packages/protocol/src/agent-events/catalog.ts";

/** What the AgentEvent specification, section 26.1, says of the agents we drive. */
export const seedMatrix: Readonly<Record<string, Readonly<Record<AgentEventCategory, string>>>> = {
  claude: levels({ plugin: "Partial" }),
  codex: levels({ session: "Partial", mcp: "No", subagent: "No", plugin: "No", skill: "No", multimodal: "Partial" }),
  gemini: levels({ session: "Partial", mcp: "Partial", subagent: "No", plugin: "No", skill: "No" }),
  pi: levels({ subagent: "Partial", multimodal: "Partial" }),
};

function levels(others: Partial<Record<AgentEventCategory, string>>): Record<AgentEventCategory, string> {
  return {
    ...{ session: "Full", turn: "Full", text: "Full", thinking: "Full", tool: "Full", file: "Full", shell: "Full" },
    ...{ mcp: "Full", subagent: "Full", plugin: "Full", skill: "Full", multimodal: "Full", cost: "Full" },
    ...{ interaction: "Full", rateLimit: "Full", runLifecycle: "Full", error: "Full", debug: "Full" },
    ...others,
  };
}
