import type { AgentAbout, FileLocation } from "../agent-about.ts";

const home = (name: string): FileLocation => ({
  path: `~/.claude/${name}`,
  variable: "CLAUDE_CONFIG_DIR",
  below: name,
});

export const about: AgentAbout = {
  vendor: "Anthropic",
  homePage: "https://github.com/anthropics/claude-code",
  minimumVersion: "2.1.325",
  install: [
    { with: "npm", command: "npm install -g @anthropic-ai/claude-code" },
    {
      with: "curl",
      command: "curl -fsSL https://claude.ai/install.sh | bash",
      platforms: ["linux", "darwin"],
    },
  ],
  auth: {
    methods: [
      {
        name: "login",
        title: "Anthropic account",
        files: [home(".credentials.json")],
        how: "Run `claude auth login`.",
      },
      {
        name: "token",
        title: "token",
        variables: ["CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"],
        how: "Set CLAUDE_CODE_OAUTH_TOKEN or ANTHROPIC_AUTH_TOKEN.",
      },
      { name: "api_key", title: "API key", variables: ["ANTHROPIC_API_KEY"], how: "Set ANTHROPIC_API_KEY." },
      {
        name: "cloud",
        title: "cloud provider",
        variables: ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"],
        how: "Set CLAUDE_CODE_USE_BEDROCK, CLAUDE_CODE_USE_VERTEX or CLAUDE_CODE_USE_FOUNDRY, and sign in there.",
      },
    ],
    unseen: { where: "the keychain", platforms: ["darwin"] },
  },
  sessions: home("projects"),
  settings: {
    format: "json",
    files: {
      user: home("settings.json"),
      project: { path: "./.claude/settings.json" },
      local: { path: "./.claude/settings.local.json" },
    },
    fields: {
      model: "string",
      env: "object",
      permissions: "object",
      "permissions.allow": "strings",
      "permissions.deny": "strings",
      "permissions.ask": "strings",
      hooks: "object",
      enabledPlugins: "object",
      apiKeyHelper: "string",
    },
    mcp: {
      field: "mcpServers",
      // The file is beside the folder, or in it if the variable is set.
      files: {
        user: { path: "~/.claude.json", variable: "CLAUDE_CONFIG_DIR", below: ".claude.json" },
        project: { path: "./.mcp.json" },
      },
      stdio: { marks: { type: "stdio" } },
      "streamable-http": { marks: { type: "http" }, url: "url", headers: "headers" },
      sse: { marks: { type: "sse" }, url: "url", headers: "headers" },
    },
  },
  plugins: {
    title: "plugins",
    formats: ["marketplace", "folder"],
    installCommand: "claude plugin install",
    listCommand: "claude plugin list",
    uninstallCommand: "claude plugin uninstall",
    listing: {
      in: "record",
      file: home("plugins/installed_plugins.json"),
      field: "plugins",
      enabled: "enabledPlugins",
    },
  },
  models: {
    asOf: "2.1.325",
    defaultModel: "claude-opus-5-5",
    aliases: {
      best: "claude-opus-5-5",
      fable: "claude-fable-5-2",
      haiku: "claude-haiku-5-5",
      opus: "claude-opus-5-5",
      // It uses another model while it plans.
      opusplan: undefined,
      sonnet: "claude-sonnet-5-5",
    },
    providers: [{ id: "anthropic", match: "^claude-[a-z]+-\\d" }],
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
    supportsJsonMode: true,
    supportsStructuredOutput: true,
    supportsSkills: true,
    supportsSubagentDispatch: true,
    supportsParallelExecution: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: true,
    supportsImageInput: true,
    supportedPlatforms: ["linux", "darwin", "win32"],
    requiresGitRepo: false,
    requiresPty: false,
  },
};
