import type { AgentAbout } from "../agent-about.ts";

export const about: AgentAbout = {
  vendor: "patriceckhart",
  homePage: "https://github.com/patriceckhart/zot",
  install: [
    { with: "manual", command: "See https://github.com/patriceckhart/zot; the package `zot` on npm is another." },
  ],
  auth: {
    methods: [
      {
        name: "api_key",
        title: "API key of a provider",
        variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"],
        how: "Set the API key of the provider, such as ANTHROPIC_API_KEY.",
      },
    ],
    unseen: { where: "auth.json, where /login stores what it got" },
  },
  models: {},
  capabilities: {
    supportsMultiTurn: true,
    sessionPersistence: "file",
    supportsNativeTools: true,
    requiresToolApproval: false,
    supportsJsonMode: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: true,
    supportsImageInput: true,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
