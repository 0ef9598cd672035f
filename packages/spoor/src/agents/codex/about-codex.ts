import type { AgentAbout, FileLocation, NamedModel } from "../agent-about.ts";

const home = (name: string): FileLocation => ({ path: `~/.codex/${name}`, variable: "CODEX_HOME", below: name });

const toMax = ["low", "medium", "high", "xhigh", "max"];
const toUltra = [...toMax, "ultra"];

/** The models in Codex's own catalog. */
const named: readonly NamedModel[] = [
  { id: "gpt-6.1-sol", title: "GPT-6.1-Sol", contextWindow: 272_000, thinkingEffortLevels: toUltra },
  { id: "gpt-6-astra", title: "GPT-6-Astra", contextWindow: 272_000, thinkingEffortLevels: toUltra },
  { id: "gpt-6-sol", title: "GPT-6-Sol", contextWindow: 272_000, thinkingEffortLevels: toUltra },
  { id: "gpt-6-luna", title: "GPT-6-Luna", contextWindow: 272_000, thinkingEffortLevels: toMax },
  { id: "gpt-5.6-sol", title: "GPT-5.6-Sol", contextWindow: 272_000, thinkingEffortLevels: toUltra },
  { id: "gpt-6.1-terra", title: "GPT-6.1 Terra", contextWindow: 500_000, thinkingEffortLevels: toUltra },
  { id: "gpt-5.6-terra", title: "GPT-5.6-Terra", contextWindow: 272_000, thinkingEffortLevels: toUltra },
  { id: "gpt-5.6-luna", title: "GPT-5.6-Luna", contextWindow: 272_000, thinkingEffortLevels: toMax },
  {
    id: "gpt-5.5",
    title: "GPT-5.5",
    contextWindow: 272_000,
    thinkingEffortLevels: ["low", "medium", "high", "xhigh"],
  },
];

export const about: AgentAbout = {
  vendor: "OpenAI",
  homePage: "https://github.com/openai/codex",
  minimumVersion: "0.166.0",
  install: [{ with: "npm", command: "npm install -g @openai/codex" }],
  auth: {
    methods: [
      { name: "login", title: "OpenAI account", files: [home("auth.json")], how: "Run `codex login`." },
      {
        name: "api_key",
        title: "API key",
        variables: ["CODEX_API_KEY", "OPENAI_API_KEY"],
        how: "Set CODEX_API_KEY, or run `codex login --with-api-key`, which reads the key from its input.",
      },
      { name: "token", title: "access token", variables: ["CODEX_ACCESS_TOKEN"], how: "Set CODEX_ACCESS_TOKEN." },
    ],
  },
  sessions: home("sessions"),
  settings: {
    format: "toml",
    files: { user: home("config.toml") },
    fields: {
      model: "string",
      model_provider: "string",
      model_providers: "object",
      model_auto_compact_token_limit: "number",
      mcp_servers: "object",
      plugins: "object",
      projects: "object",
      features: "object",
      analytics: "object",
      check_for_update_on_startup: "boolean",
    },
    mcp: { field: "mcp_servers", stdio: {}, "streamable-http": { url: "url", headers: "http_headers" } },
  },
  plugins: {
    title: "plugins",
    formats: ["marketplace"],
    installCommand: "codex plugin add",
    listCommand: "codex plugin list",
    uninstallCommand: "codex plugin remove",
    listing: { in: "table", field: "plugins" },
  },
  models: {
    asOf: "0.166.0",
    named,
    providers: [{ id: "openai", match: "^(gpt-[5-9]|o\\d)(?!.*(audio|image|realtime|deep-research))" }],
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
    thinkingEffortLevels: toUltra,
    supportsJsonMode: true,
    supportsStructuredOutput: true,
    supportsSkills: true,
    skillsFormat: "directory",
    supportsAgentsMd: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsStdinInjection: true,
    supportsImageInput: true,
    supportedPlatforms: ["linux", "darwin", "win32"],
    requiresGitRepo: false,
    requiresPty: false,
  },
};
