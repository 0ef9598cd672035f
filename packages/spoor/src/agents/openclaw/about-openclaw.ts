import type { AgentAbout, FileLocation } from "../agent-about.ts";

const home = (name: string): FileLocation => ({
  path: `~/.openclaw/${name}`,
  variable: "OPENCLAW_STATE_DIR",
  below: name,
});

export const about: AgentAbout = {
  vendor: "OpenClaw",
  homePage: "https://openclaw.ai",
  minimumVersion: "2026.9.6",
  // On a Node that is too old, npm installs an empty package of the same name.
  install: [{ with: "npm", command: "npm install -g openclaw@latest" }],
  auth: {
    methods: [
      {
        name: "api_key",
        title: "API key of a model provider",
        variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
        how: "Set the provider's API key, such as ANTHROPIC_API_KEY, or write it to the settings with `openclaw configure`.",
      },
    ],
    unseen: { where: "its database and settings" },
  },
  sessions: home("agents"),
  settings: {
    format: "json",
    files: { user: home("openclaw.json") },
    fields: {
      "agents.defaults.workspace": "string",
      "agents.defaults.model.primary": "string",
      "gateway.mode": "string",
      "gateway.port": "number",
      "gateway.bind": "string",
      "gateway.auth": "object",
      "models.mode": "string",
      "models.providers": "object",
      "tools.profile": "string",
      "tools.toolSearch": "boolean",
      "tools.exec.security": "string",
      "tools.exec.ask": "string",
      "update.checkOnStart": "boolean",
    },
  },
  models: { asOf: "2026.9.6", withProvider: true },
  capabilities: {
    canResume: true,
    supportsMultiTurn: true,
    sessionPersistence: "sqlite",
    supportsNativeTools: true,
    supportsMCP: true,
    supportsThinking: true,
    thinkingEffortLevels: ["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max", "ultra"],
    supportsJsonMode: true,
    supportsSkills: true,
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
