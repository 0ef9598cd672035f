import type { AgentAbout } from "../agent-about.ts";

export const about: AgentAbout = {
  vendor: "Amp",
  homePage: "https://ampcode.com",
  install: [{ with: "npm", command: "npm install -g @ampcode/cli" }],
  auth: {
    methods: [
      { name: "api_key", title: "API key", variables: ["AMP_API_KEY"], how: "Set AMP_API_KEY, or run `amp login`." },
    ],
    unseen: { where: "what `amp login` stores" },
  },
  models: {},
  capabilities: {
    canResume: true,
    supportsMultiTurn: true,
    supportsNativeTools: true,
    supportsMCP: true,
    requiresToolApproval: false,
    supportsThinking: true,
    supportsJsonMode: true,
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: true,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
