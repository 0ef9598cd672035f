import type { AgentAbout, FileLocation } from "../agent-about.ts";

const data = (name: string): FileLocation => ({
  path: `~/.local/share/opencode/${name}`,
  variable: "XDG_DATA_HOME",
  below: `opencode/${name}`,
});

export const about: AgentAbout = {
  vendor: "Anomaly",
  homePage: "https://opencode.ai",
  minimumVersion: "1.18.33",
  install: [{ with: "npm", command: "npm install -g opencode-ai" }],
  auth: {
    methods: [
      {
        name: "login",
        title: "account or key of a provider",
        // The file is `{}` when nobody is logged in.
        files: [{ ...data("auth.json"), emptySize: 2 }],
        how: "Run `opencode auth login`.",
      },
      {
        name: "api_key",
        title: "API key",
        variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"],
        how: "Set the key of the model's provider, such as ANTHROPIC_API_KEY.",
      },
    ],
  },
  sessions: data("opencode.db"),
  settings: {
    format: "jsonc",
    files: {
      user: {
        path: "~/.config/opencode/opencode.json",
        variable: "XDG_CONFIG_HOME",
        below: "opencode/opencode.json",
      },
      project: { path: "./opencode.json" },
    },
    fields: {
      $schema: "string",
      agent: "object",
      autoupdate: "boolean",
      enabled_providers: "strings",
      mcp: "object",
      model: "string",
      permission: "object",
      plugin: "strings",
      provider: "object",
      share: ["manual", "auto", "disabled"],
      small_model: "string",
    },
  },
  plugins: {
    title: "plugins",
    formats: ["npm-package", "folder"],
    installCommand: "opencode plugin",
    listing: { in: "list", field: "plugin" },
  },
  models: {
    asOf: "1.18.33",
    providers: [{ id: "anthropic" }, { id: "openai" }, { id: "google" }, { id: "openrouter" }],
    withProvider: true,
  },
  capabilities: {
    canResume: true,
    canFork: true,
    supportsMultiTurn: true,
    sessionPersistence: "sqlite",
    supportsNativeTools: true,
    supportsMCP: true,
    supportsParallelToolCalls: true,
    requiresToolApproval: false,
    supportsThinking: true,
    supportsJsonMode: true,
    supportsSkills: true,
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsImageInput: true,
    supportsFileAttachments: true,
    supportedPlatforms: ["linux", "darwin", "win32"],
    requiresGitRepo: false,
    requiresPty: false,
  },
};
