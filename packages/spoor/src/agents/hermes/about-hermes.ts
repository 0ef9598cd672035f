import type { AgentAbout } from "../agent-about.ts";

export const about: AgentAbout = {
  vendor: "Nous Research",
  homePage: "https://github.com/NousResearch/hermes-agent",
  install: [{ with: "manual", command: "See https://github.com/NousResearch/hermes-agent; it is written in Python." }],
  auth: {
    methods: [
      {
        name: "api_key",
        title: "API key of a provider",
        variables: ["OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
        how: "Set the API key of the provider, or run `hermes setup`.",
      },
    ],
    unseen: { where: "~/.hermes/.env and what `hermes auth` stores" },
  },
  models: { withProvider: true },
  capabilities: {
    canResume: true,
    supportsMultiTurn: true,
    supportsNativeTools: true,
    supportsMCP: true,
    requiresToolApproval: true,
    thinkingEffortLevels: ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"],
    supportsJsonMode: true,
    supportsSkills: true,
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
