import type { AgentAbout, FileLocation } from "../agent-about.ts";

const home = (name: string): FileLocation => ({ path: `~/.copilot/${name}`, variable: "COPILOT_HOME", below: name });

export const about: AgentAbout = {
  vendor: "GitHub",
  homePage: "https://github.com/github/copilot-cli",
  minimumVersion: "1.0.102",
  install: [
    { with: "npm", command: "npm install -g @github/copilot" },
    { with: "curl", command: "curl -fsSL https://gh.io/copilot-install | bash", platforms: ["linux", "darwin"] },
    { with: "brew", command: "brew install copilot-cli", platforms: ["linux", "darwin"] },
    { with: "winget", command: "winget install GitHub.Copilot", platforms: ["win32"] },
  ],
  auth: {
    methods: [
      {
        name: "token",
        title: "GitHub token",
        variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
        how: "Set GH_TOKEN to a token with the permission for Copilot requests, or run `copilot login`.",
      },
      {
        name: "api_key",
        title: "model service of your own",
        variables: ["COPILOT_PROVIDER_BASE_URL"],
        how: "Set COPILOT_PROVIDER_BASE_URL, COPILOT_MODEL and, where it wants one, COPILOT_PROVIDER_API_KEY.",
      },
    ],
    unseen: { where: "the keychain, after `copilot login`" },
  },
  sessions: home("session-state"),
  settings: {
    format: "json",
    files: {
      user: home("settings.json"),
      project: { path: "./.github/copilot/settings.json" },
      local: { path: "./.github/copilot/settings.local.json" },
    },
    fields: {
      model: "string",
      allowedUrls: "strings",
      deniedUrls: "strings",
      autoUpdate: "boolean",
      memory: "boolean",
      experimental: "boolean",
      includeCoAuthoredBy: "boolean",
      proxyUrl: "string",
      defaultMode: ["interactive", "plan", "autopilot"],
      defaultPermissionMode: ["manual", "assisted", "allow-all"],
    },
    mcp: {
      field: "mcpServers",
      files: { user: home("mcp-config.json"), project: { path: "./.mcp.json" } },
      stdio: { marks: { type: "local" } },
      "streamable-http": { marks: { type: "http" }, url: "url", headers: "headers" },
      sse: { marks: { type: "sse" }, url: "url", headers: "headers" },
    },
  },
  models: {
    asOf: "1.0.102",
    providers: [
      { id: "anthropic", match: "^claude-" },
      { id: "openai", match: "^gpt-" },
      { id: "google", match: "^gemini-" },
      { id: "xai", match: "^grok-" },
    ],
  },
  capabilities: {
    canResume: true,
    canFork: true,
    supportsMultiTurn: true,
    sessionPersistence: "file",
    supportsNativeTools: true,
    supportsMCP: true,
    supportsParallelToolCalls: true,
    requiresToolApproval: true,
    supportsThinking: true,
    thinkingEffortLevels: ["low", "medium", "high", "xhigh", "max"],
    supportsThinkingBudgetTokens: false,
    supportsSkills: true,
    skillsFormat: "directory",
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: true,
    supportsImageInput: true,
    supportsFileAttachments: true,
    supportedPlatforms: ["linux", "darwin", "win32"],
    requiresGitRepo: false,
    requiresPty: false,
  },
};
