import type { AgentAbout, FileLocation } from "../agent-about.ts";

/** The variable replaces the user's home, not the folder in it. */
const home = (name: string): FileLocation => ({
  path: `~/.gemini/${name}`,
  variable: "GEMINI_CLI_HOME",
  below: `.gemini/${name}`,
});

export const about: AgentAbout = {
  vendor: "Google",
  homePage: "https://github.com/google-gemini/gemini-cli",
  minimumVersion: "0.61.0",
  install: [{ with: "npm", command: "npm install -g @google/gemini-cli" }],
  auth: {
    methods: [
      {
        name: "login",
        title: "Google account",
        files: [home("oauth_creds.json"), home("gemini-credentials.json")],
        how: "Run `gemini` and sign in with /auth.",
      },
      { name: "api_key", title: "API key", variables: ["GEMINI_API_KEY"], how: "Set GEMINI_API_KEY." },
      {
        name: "cloud",
        title: "Vertex AI",
        variables: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_API_KEY"],
        how: "Set GOOGLE_GENAI_USE_VERTEXAI=true, with GOOGLE_API_KEY or GOOGLE_APPLICATION_CREDENTIALS.",
      },
    ],
  },
  sessions: home("tmp"),
  settings: {
    format: "jsonc",
    files: { user: home("settings.json"), project: { path: "./.gemini/settings.json" } },
    fields: {
      general: "object",
      "general.maxAttempts": "number",
      "general.enableAutoUpdate": "boolean",
      privacy: "object",
      "privacy.usageStatisticsEnabled": "boolean",
      security: "object",
      "security.auth.selectedType": "string",
      tools: "object",
      "tools.useRipgrep": "boolean",
      ide: "object",
      "ide.enabled": "boolean",
      mcpServers: "object",
    },
    mcp: {
      field: "mcpServers",
      stdio: {},
      "streamable-http": { marks: { type: "http" }, url: "url", headers: "headers" },
      sse: { marks: { type: "sse" }, url: "url", headers: "headers" },
    },
  },
  plugins: {
    title: "extensions",
    formats: ["git", "folder"],
    installCommand: "gemini extensions install",
    listCommand: "gemini extensions list",
    uninstallCommand: "gemini extensions uninstall",
    updateCommand: "gemini extensions update",
    listing: { in: "folders", folder: home("extensions"), manifest: "gemini-extension.json" },
  },
  models: {
    asOf: "0.61.0",
    // It chooses between these by the prompt and by what the account may use.
    aliases: { auto: undefined, pro: undefined, flash: undefined, "flash-lite": undefined },
    named: [
      { id: "gemini-2.5-pro" },
      { id: "gemini-3-pro-preview" },
      { id: "gemini-3.1-pro-preview" },
      { id: "gemini-3-flash-preview" },
    ],
    providers: [{ id: "google", match: "^gemini-\\d(?!.*(image|tts|live|audio|vision))" }],
  },
  capabilities: {
    canResume: true,
    canFork: false,
    supportsMultiTurn: true,
    sessionPersistence: "file",
    supportsNativeTools: true,
    supportsMCP: true,
    supportsParallelToolCalls: true,
    requiresToolApproval: true,
    supportsThinking: true,
    supportsJsonMode: true,
    supportsStructuredOutput: false,
    supportsSkills: true,
    supportsSubagentDispatch: true,
    supportsInteractiveMode: true,
    supportsImageInput: true,
    requiresGitRepo: false,
    requiresPty: false,
  },
};
