import type { AgentAbout } from "../agent-about.ts";

export const about: AgentAbout = {
  vendor: "Cursor",
  homePage: "https://cursor.com/cli",
  install: [{ with: "curl", command: "curl https://cursor.com/install -fsS | bash", platforms: ["darwin", "linux"] }],
  auth: {
    methods: [
      {
        name: "api_key",
        title: "API key",
        variables: ["CURSOR_API_KEY"],
        how: "Set CURSOR_API_KEY, or run `cursor-agent login`.",
      },
    ],
    unseen: { where: "what `cursor-agent login` stores" },
  },
  models: {},
  capabilities: {
    canResume: true,
    supportsMultiTurn: true,
    supportsNativeTools: true,
    supportsMCP: true,
    requiresToolApproval: true,
    supportsThinking: true,
    supportsJsonMode: true,
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: false,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
