import type { AgentAbout, FileLocation } from "../agent-about.ts";

const home = (name: string): FileLocation => ({
  path: `~/.omp/agent/${name}`,
  variable: "PI_CODING_AGENT_DIR",
  below: name,
});

export const about: AgentAbout = {
  vendor: "Stencil Labs",
  homePage: "https://omp.sh",
  minimumVersion: "18.2.3",
  install: [
    { with: "manual", command: "Install Bun 1.3.14 or newer, then `bun install -g @oh-my-pi/pi-coding-agent`." },
  ],
  auth: {
    methods: [
      {
        name: "api_key",
        title: "API key of a provider",
        variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
        how: "Set the API key of the provider, such as ANTHROPIC_API_KEY.",
      },
    ],
    unseen: { where: "what /login stores, and models.yml, which may name a key for a provider of your own" },
  },
  sessions: home("sessions"),
  models: { asOf: "18.2.3", withProvider: true },
  capabilities: {
    canResume: true,
    canFork: true,
    supportsMultiTurn: true,
    sessionPersistence: "file",
    supportsNativeTools: true,
    supportsMCP: true,
    supportsParallelToolCalls: true,
    requiresToolApproval: false,
    supportsThinking: true,
    thinkingEffortLevels: ["off", "minimal", "low", "medium", "high", "xhigh", "max", "auto"],
    supportsJsonMode: true,
    supportsSkills: true,
    skillsFormat: "directory",
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: true,
    supportsImageInput: true,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
